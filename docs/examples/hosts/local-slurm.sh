#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A Slurm of one node, this one, to try scripts of `maniple sweep --commands slurm` with; Debian: apt install slurm-wlm, as root.
# Usage: local-slurm.sh FOLDER COMMAND [ARGUMENT...]: runs the command, in which sbatch and srun work, and ends the daemons.
set -eu
folder=$(realpath -m "$1")
shift
mkdir -p "$folder/state" "$folder/spool"
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<EOF
ClusterName=here
SlurmctldHost=$(hostname)
AuthType=auth/munge
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName=$(hostname) CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
install -d -o munge /run/munge
su -s /bin/sh munge -c munged
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
trap 'kill $(cat "$folder"/slurm*.pid /run/munge/munged.pid)' EXIT
for _ in $(seq 50); do sinfo -h -t idle | grep . >/dev/null && break || sleep 0.2; done
"$@"
