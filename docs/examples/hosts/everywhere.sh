#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One sweep by four ways: here, by GNU parallel, by Snakemake, as an array of Slurm; and one simulation in two processes by MPI.
# The results of all are compared. What is not installed is left out. Usage: everywhere.sh [FOLDER]
set -eu
here=$(dirname "$(realpath "$0")")
mkdir -p "${1:-everywhere}"
cd "${1:-everywhere}"
maniple-tracegen matmul product arch=86 n=64
maniple-tracegen vectoradd adds arch=86 n=16384
cat >plan.cfg <<'EOF'
machines = ["rtx3070"];
inputs = ["product/kernelslist.g", "adds/kernelslist.g"];
vary = (
  { key = "sm.memory.interval"; values = [1, 2]; },
  { key = "sm.count"; from = 8; to = 32; factor = 2; }
);
objectives = ["time", "sm.count"];
EOF
maniple sweep plan.cfg -o local -q
if command -v parallel >/dev/null; then
    maniple sweep plan.cfg -o parallel --commands parallel | parallel -j 2
fi
if command -v snakemake >/dev/null; then
    maniple sweep plan.cfg -o snakemake --commands snakemake >Snakefile
    snakemake --cores 2 --quiet
fi
if command -v slurmctld >/dev/null; then
    maniple sweep plan.cfg -o slurm --commands slurm --chunk 4 >sweep.sh
    "$here/local-slurm.sh" daemons sbatch --wait sweep.sh
fi
for way in parallel snakemake slurm; do
    [ -d "$way" ] || continue
    [ "$(ls local)" = "$(ls "$way")" ]
    for run in local/*; do
        maniple compare "$run" "$way/${run##*/}" | grep '^0 of [0-9]* statistics differ' >/dev/null
    done
    echo "$way: 12 runs, the same as here"
done
maniple run -q --machine rtx3070 -o one product/kernelslist.g >/dev/null
# As root, and on fewer processors than processes, Open MPI wants to be told.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in "mpirun.openmpi --oversubscribe" mpiexec.mpich; do
    command -v "${mpi%% *}" >/dev/null || continue
    $mpi -n 2 maniple run -q --machine rtx3070 -o "${mpi%% *}" product/kernelslist.g >/dev/null
    maniple compare one "${mpi%% *}" | grep '^0 of [0-9]* statistics differ' >/dev/null
    echo "$mpi: the same as one process"
done
