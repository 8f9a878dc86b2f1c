/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of fabrics: GPU_FABRIC(NAME, name, home, connect) each, with the functions that fabric.h describes. Their
 * order is that of the enumeration and of the choices of `fabric.kind`.
 */
GPU_FABRIC(NONE, "none", gpu_fabric_none_home, gpu_fabric_none_connect)
