/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other names of functions (those with a default stream per thread take the legacy one: work is executed in the order
 * of the calls in any case), and the functions of the real library that are not supported: a program that calls one of
 * them gets an error, and the user its name.
 */
#include "cudart/api/missing.h"
#include "cudart/core/call.h"

ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);
ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
ALIAS(cudaThreadExit, cudaDeviceReset);
ALIAS(cudaMemAdvise_v2, cudaMemAdvise);
ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);
ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);
ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
ALIAS(cudaMemcpy_ptds, cudaMemcpy);
ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
ALIAS(cudaMemset2D_ptds, cudaMemset2D);
ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
ALIAS(cudaMemset_ptds, cudaMemset);
ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);
ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
ALIAS(cudaMemset3D_ptds, cudaMemset3D);
ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);
ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);
ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);
ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);
ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);
ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);
ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

int cudart_missing(const char *name)
{
    struct cudart *rt = cudart_enter(); /* named even where the context has failed */
    return cudart_leave(rt, cudart_refuse_function(rt, name));
}

int cudart_missing_driver(const char *name)
{
    struct cudart_thread *thread = cudart_thread();
    thread->in_driver++;
    struct cudart *rt = cudart_enter();
    enum cuda_error error = cudart_refuse_function(rt, name);
    thread->in_driver--;
    return cudart_leave_quietly(rt, error);
}

MISSING(__cudaGetProcAddress)
MISSING(__cudaRegisterHostVar)
MISSING(__cudaRegisterUnifiedTable)
MISSING(cudaArrayGetMemoryRequirements)
MISSING(cudaArrayGetPlane)
MISSING(cudaArrayGetSparseProperties)
MISSING(cudaDestroyExternalMemory)
MISSING(cudaDestroyExternalSemaphore)
MISSING(cudaDeviceDisablePeerAccess)
MISSING(cudaDeviceEnablePeerAccess)
MISSING(cudaDeviceFlushGPUDirectRDMAWrites)
MISSING(cudaDeviceGetGraphMemAttribute)
MISSING(cudaDeviceGetHostAtomicCapabilities)
MISSING(cudaDeviceGetNvSciSyncAttributes)
MISSING(cudaDeviceGetP2PAtomicCapabilities)
MISSING(cudaDeviceGetP2PAttribute)
MISSING(cudaDeviceGetTexture1DLinearMaxWidth)
MISSING(cudaDeviceGraphMemTrim)
MISSING(cudaDeviceRegisterAsyncNotification)
MISSING(cudaDeviceSetGraphMemAttribute)
MISSING(cudaDeviceUnregisterAsyncNotification)
MISSING(cudaEGLStreamConsumerAcquireFrame)
MISSING(cudaEGLStreamConsumerConnect)
MISSING(cudaEGLStreamConsumerConnectWithFlags)
MISSING(cudaEGLStreamConsumerDisconnect)
MISSING(cudaEGLStreamConsumerReleaseFrame)
MISSING(cudaEGLStreamProducerConnect)
MISSING(cudaEGLStreamProducerDisconnect)
MISSING(cudaEGLStreamProducerPresentFrame)
MISSING(cudaEGLStreamProducerReturnFrame)
MISSING(cudaEventCreateFromEGLSync)
MISSING(cudaExternalMemoryGetMappedBuffer)
MISSING(cudaExternalMemoryGetMappedMipmappedArray)
MISSING(cudaFreeMipmappedArray)
MISSING(cudaGLGetDevices)
MISSING(cudaGLMapBufferObject)
MISSING(cudaGLMapBufferObjectAsync)
MISSING(cudaGLRegisterBufferObject)
MISSING(cudaGLSetBufferObjectMapFlags)
MISSING(cudaGLSetGLDevice)
MISSING(cudaGLUnmapBufferObject)
MISSING(cudaGLUnmapBufferObjectAsync)
MISSING(cudaGLUnregisterBufferObject)
MISSING(cudaGetExportTable)
MISSING(cudaGetMipmappedArrayLevel)
MISSING(cudaGetSurfaceObjectResourceDesc)
MISSING(cudaGetTextureObjectResourceDesc)
MISSING(cudaGetTextureObjectResourceViewDesc)
MISSING(cudaGetTextureObjectTextureDesc)
MISSING(cudaGraphAddChildGraphNode)
MISSING(cudaGraphAddDependencies)
MISSING(cudaGraphAddDependencies_v2)
MISSING(cudaGraphAddEmptyNode)
MISSING(cudaGraphAddEventRecordNode)
MISSING(cudaGraphAddEventWaitNode)
MISSING(cudaGraphAddExternalSemaphoresSignalNode)
MISSING(cudaGraphAddExternalSemaphoresWaitNode)
MISSING(cudaGraphAddHostNode)
MISSING(cudaGraphAddKernelNode)
MISSING(cudaGraphAddMemAllocNode)
MISSING(cudaGraphAddMemFreeNode)
MISSING(cudaGraphAddMemcpyNode)
MISSING(cudaGraphAddMemcpyNode1D)
MISSING(cudaGraphAddMemcpyNodeFromSymbol)
MISSING(cudaGraphAddMemcpyNodeToSymbol)
MISSING(cudaGraphAddMemsetNode)
MISSING(cudaGraphAddNode)
MISSING(cudaGraphAddNode_v2)
MISSING(cudaGraphChildGraphNodeGetGraph)
MISSING(cudaGraphClone)
MISSING(cudaGraphConditionalHandleCreate)
MISSING(cudaGraphCreate)
MISSING(cudaGraphDebugDotPrint)
MISSING(cudaGraphDestroy)
MISSING(cudaGraphDestroyNode)
MISSING(cudaGraphEventRecordNodeGetEvent)
MISSING(cudaGraphEventRecordNodeSetEvent)
MISSING(cudaGraphEventWaitNodeGetEvent)
MISSING(cudaGraphEventWaitNodeSetEvent)
MISSING(cudaGraphExecChildGraphNodeSetParams)
MISSING(cudaGraphExecDestroy)
MISSING(cudaGraphExecEventRecordNodeSetEvent)
MISSING(cudaGraphExecEventWaitNodeSetEvent)
MISSING(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
MISSING(cudaGraphExecGetFlags)
MISSING(cudaGraphExecHostNodeSetParams)
MISSING(cudaGraphExecKernelNodeSetParams)
MISSING(cudaGraphExecMemcpyNodeSetParams)
MISSING(cudaGraphExecMemcpyNodeSetParams1D)
MISSING(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphExecMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphExecMemsetNodeSetParams)
MISSING(cudaGraphExecNodeSetParams)
MISSING(cudaGraphExecUpdate)
MISSING(cudaGraphExternalSemaphoresSignalNodeGetParams)
MISSING(cudaGraphExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeGetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeSetParams)
MISSING(cudaGraphGetEdges)
MISSING(cudaGraphGetEdges_v2)
MISSING(cudaGraphGetNodes)
MISSING(cudaGraphGetRootNodes)
MISSING(cudaGraphHostNodeGetParams)
MISSING(cudaGraphHostNodeSetParams)
MISSING(cudaGraphInstantiate)
MISSING(cudaGraphInstantiateWithFlags)
MISSING(cudaGraphInstantiateWithParams)
MISSING(cudaGraphInstantiateWithParams_ptsz)
MISSING(cudaGraphKernelNodeCopyAttributes)
MISSING(cudaGraphKernelNodeGetAttribute)
MISSING(cudaGraphKernelNodeGetParams)
MISSING(cudaGraphKernelNodeSetAttribute)
MISSING(cudaGraphKernelNodeSetParams)
MISSING(cudaGraphLaunch)
MISSING(cudaGraphLaunch_ptsz)
MISSING(cudaGraphMemAllocNodeGetParams)
MISSING(cudaGraphMemFreeNodeGetParams)
MISSING(cudaGraphMemcpyNodeGetParams)
MISSING(cudaGraphMemcpyNodeSetParams)
MISSING(cudaGraphMemcpyNodeSetParams1D)
MISSING(cudaGraphMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphMemsetNodeGetParams)
MISSING(cudaGraphMemsetNodeSetParams)
MISSING(cudaGraphNodeFindInClone)
MISSING(cudaGraphNodeGetDependencies)
MISSING(cudaGraphNodeGetDependencies_v2)
MISSING(cudaGraphNodeGetDependentNodes)
MISSING(cudaGraphNodeGetDependentNodes_v2)
MISSING(cudaGraphNodeGetEnabled)
MISSING(cudaGraphNodeGetType)
MISSING(cudaGraphNodeSetEnabled)
MISSING(cudaGraphNodeSetParams)
MISSING(cudaGraphReleaseUserObject)
MISSING(cudaGraphRemoveDependencies)
MISSING(cudaGraphRemoveDependencies_v2)
MISSING(cudaGraphRetainUserObject)
MISSING(cudaGraphUpload)
MISSING(cudaGraphUpload_ptsz)
MISSING(cudaGraphicsEGLRegisterImage)
MISSING(cudaGraphicsGLRegisterBuffer)
MISSING(cudaGraphicsGLRegisterImage)
MISSING(cudaGraphicsMapResources)
MISSING(cudaGraphicsResourceGetMappedEglFrame)
MISSING(cudaGraphicsResourceGetMappedMipmappedArray)
MISSING(cudaGraphicsResourceGetMappedPointer)
MISSING(cudaGraphicsResourceSetMapFlags)
MISSING(cudaGraphicsSubResourceGetMappedArray)
MISSING(cudaGraphicsUnmapResources)
MISSING(cudaGraphicsUnregisterResource)
MISSING(cudaGraphicsVDPAURegisterOutputSurface)
MISSING(cudaGraphicsVDPAURegisterVideoSurface)
MISSING(cudaImportExternalMemory)
MISSING(cudaImportExternalSemaphore)
MISSING(cudaIpcCloseMemHandle)
MISSING(cudaIpcGetEventHandle)
MISSING(cudaIpcGetMemHandle)
MISSING(cudaIpcOpenEventHandle)
MISSING(cudaIpcOpenMemHandle)
MISSING(cudaLaunchCooperativeKernelMultiDevice)
MISSING(cudaLibraryGetManaged)
MISSING(cudaLibraryGetUnifiedFunction)
MISSING(cudaLogsCurrent)
MISSING(cudaLogsDumpToFile)
MISSING(cudaLogsDumpToMemory)
MISSING(cudaLogsRegisterCallback)
MISSING(cudaLogsUnregisterCallback)
MISSING(cudaMallocMipmappedArray)
MISSING(cudaMemDiscardAndPrefetchBatchAsync)
MISSING(cudaMemDiscardAndPrefetchBatchAsync_ptsz)
MISSING(cudaMemDiscardBatchAsync)
MISSING(cudaMemDiscardBatchAsync_ptsz)
MISSING(cudaMemGetDefaultMemPool)
MISSING(cudaMemGetMemPool)
MISSING(cudaMemPoolExportPointer)
MISSING(cudaMemPoolExportToShareableHandle)
MISSING(cudaMemPoolImportFromShareableHandle)
MISSING(cudaMemPoolImportPointer)
MISSING(cudaMemPrefetchBatchAsync)
MISSING(cudaMemPrefetchBatchAsync_ptsz)
MISSING(cudaMemRangeGetAttribute)
MISSING(cudaMemRangeGetAttributes)
MISSING(cudaMemSetMemPool)
MISSING(cudaMemcpy3DBatchAsync)
MISSING(cudaMemcpy3DBatchAsync_ptsz)
MISSING(cudaMemcpy3DPeer)
MISSING(cudaMemcpy3DPeerAsync)
MISSING(cudaMemcpy3DPeerAsync_ptsz)
MISSING(cudaMemcpy3DPeer_ptds)
MISSING(cudaMemcpyArrayToArray)
MISSING(cudaMemcpyArrayToArray_ptds)
MISSING(cudaMemcpyBatchAsync)
MISSING(cudaMemcpyBatchAsync_ptsz)
MISSING(cudaMipmappedArrayGetMemoryRequirements)
MISSING(cudaMipmappedArrayGetSparseProperties)
MISSING(cudaSetDoubleForDevice)
MISSING(cudaSetDoubleForHost)
MISSING(cudaSignalExternalSemaphoresAsync)
MISSING(cudaSignalExternalSemaphoresAsync_ptsz)
MISSING(cudaSignalExternalSemaphoresAsync_v2)
MISSING(cudaSignalExternalSemaphoresAsync_v2_ptsz)
MISSING(cudaStreamBeginCapture)
MISSING(cudaStreamBeginCaptureToGraph)
MISSING(cudaStreamBeginCaptureToGraph_ptsz)
MISSING(cudaStreamBeginCapture_ptsz)
MISSING(cudaStreamEndCapture)
MISSING(cudaStreamEndCapture_ptsz)
MISSING(cudaStreamGetCaptureInfo)
MISSING(cudaStreamGetCaptureInfo_ptsz)
MISSING(cudaStreamGetCaptureInfo_v2)
MISSING(cudaStreamGetCaptureInfo_v2_ptsz)
MISSING(cudaStreamGetCaptureInfo_v3)
MISSING(cudaStreamGetCaptureInfo_v3_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies)
MISSING(cudaStreamUpdateCaptureDependencies_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies_v2)
MISSING(cudaStreamUpdateCaptureDependencies_v2_ptsz)
MISSING(cudaThreadExchangeStreamCaptureMode)
MISSING(cudaThreadGetCacheConfig)
MISSING(cudaThreadGetLimit)
MISSING(cudaThreadSetCacheConfig)
MISSING(cudaThreadSetLimit)
MISSING(cudaUserObjectCreate)
MISSING(cudaUserObjectRelease)
MISSING(cudaUserObjectRetain)
MISSING(cudaVDPAUGetDevice)
MISSING(cudaVDPAUSetVDPAUDevice)
MISSING(cudaWaitExternalSemaphoresAsync)
MISSING(cudaWaitExternalSemaphoresAsync_ptsz)
MISSING(cudaWaitExternalSemaphoresAsync_v2)
MISSING(cudaWaitExternalSemaphoresAsync_v2_ptsz)
