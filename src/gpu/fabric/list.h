/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of fabrics: GPU_FABRIC(NAME, name, joins, connect) each, with what fabric.h describes. Their order is that
 * of the enumeration and of the choices of `fabric.kind`.
 */
GPU_FABRIC(NONE, "none", false, gpu_fabric_none_connect)
GPU_FABRIC(NVLINK, "nvlink", true, gpu_fabric_links_connect)
GPU_FABRIC(PCIE, "pcie", true, gpu_fabric_links_connect)
