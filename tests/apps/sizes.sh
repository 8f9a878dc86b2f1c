# SPDX-License-Identifier: BSD-3-Clause
# Arguments that make each workload small, for tests: one line for each run. Source it, call app_runs.
# shellcheck shell=bash
app_runs() {
    cat <<'END'
vecadd --size 1000
sgemm --size 72
gemm --m 24 --n 40 --k 20
gemm --m 24 --n 40 --k 20 --kernel tiled
gemm --m 32 --n 48 --k 32 --kernel wmma
reduction --size 5000 --blocks 5
scan --size 3000
transpose --width 70 --height 45
transpose --width 70 --height 45 --kernel naive
histogram --size 1000 --blocks 3
montecarlo_pi --blocks 3 --points 8
convolution --width 150 --height 20
spinlock --blocks 6 --rounds 2
lastblock --size 2000 --blocks 6
bfs --nodes 300 --degree 3
sssp --nodes 200 --degree 3
mst --nodes 150 --degree 3
syrk --n 40 --m 20
atax --rows 40 --columns 50
mvt --size 50
2dconv --width 70 --height 20
fdtd2d --width 40 --height 20 --steps 2
gaussian --size 12
hotspot --width 40 --height 20 --steps 3
nw --size 32
pathfinder --width 500 --rows 8 --depth 3
lud --size 48
srad --width 40 --height 20 --steps 2
backprop --size 64 --rounds 2
kmeans --points 200 --dimensions 3 --clusters 4 --rounds 2
nn --size 300
hybridsort --size 1000
lavamd --boxes 2 --particles 5
myocyte --cells 8 --steps 3
rnn --units 12 --batch 2
aes --blocks 100
cp --width 50 --height 6 --charges 20
lib --paths 40
lps --x 40 --y 6 --z 5 --steps 2
llama
llama --tokens 256 --hidden 128 --feed 128
llama --model gpt2 --layers 1 --words 384
mum --text 300 --queries 20 --length 12
nnet --images 1
ray --width 24 --height 12 --spheres 5 --bounces 2
sto --chunks 70 --bytes 64
tcgemm --m 256 --n 384 --k 384 --blocks 2
tcgemm --m 128 --n 512 --k 256 --type e4m3 --tile 256 --blocks 1
tcgemm --m 512 --n 768 --k 320 --pair 1 --tile 256 --blocks 4
tcgemm --m 512 --n 384 --k 640 --pair 1 --blocks 4 --store boxes
tcgemm --m 256 --n 512 --k 128 --tile 256 --blocks 3 --result f16
wsgemm --m 128 --n 256 --k 384
wsgemm --m 256 --n 128 --k 256 --type e4m3
wsgemm --m 128 --n 128 --k 128 --type tf32 --batch 3
wsgemm --m 256 --n 256 --k 384 --tile 256 --cluster 2 --result f16
wsgemm --m 512 --n 192 --k 64 --tile 64 --cluster 4 --blocks 4
attention --sequence 256 --heads 1 --dimension 64 --blocks 1
attention --sequence 128 --heads 3 --causal yes --blocks 2
groupgemm --groups 3 --k 128 --blocks 2
tmastencil --width 36 --height 20 --depth 9 --each 5
clustersum --size 3000 --clusters 2 --cluster 4
clusterhist --size 3000 --bins 500 --clusters 2 --cluster 4
clusterhist --size 3000 --bins 501 --clusters 1 --cluster 16
END
}
