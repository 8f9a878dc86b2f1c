/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Other names of functions (those with a default stream per thread take the legacy one: work is executed in the order
 * of the calls in any case), and the functions of the real library that are not supported: a program that calls one of
 * them gets an error, and the user its name.
 */
#include "cudart/api/graph.h"
#include "cudart/api/missing.h"
#include "cudart/api/runtime.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"

ALIAS(__cudaLaunchKernel_ptsz, __cudaLaunchKernel);
ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
ALIAS(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);
ALIAS(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);
ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);
ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
ALIAS(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);
ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
ALIAS(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);
ALIAS(cudaLaunchKernel_ptsz, cudaLaunchKernel);
ALIAS(cudaLogsCurrent, cuLogsCurrent);
ALIAS(cudaLogsDumpToMemory, cuLogsDumpToMemory);
ALIAS(cudaLogsRegisterCallback, cuLogsRegisterCallback);
ALIAS(cudaLogsUnregisterCallback, cuLogsUnregisterCallback);
ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
ALIAS(cudaMemAdvise_v2, cudaMemAdvise);
ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);
ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);
ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);
ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);
ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
ALIAS(cudaMemcpy_ptds, cudaMemcpy);
ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
ALIAS(cudaMemset2D_ptds, cudaMemset2D);
ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
ALIAS(cudaMemset3D_ptds, cudaMemset3D);
ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
ALIAS(cudaMemset_ptds, cudaMemset);
ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);
ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);
ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);
ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);
ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);
ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);
ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);
ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);
ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
ALIAS(cudaThreadExit, cudaDeviceReset);
ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
ALIAS(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync);

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
MISSING(cudaDeviceFlushGPUDirectRDMAWrites)
MISSING(cudaDeviceGetHostAtomicCapabilities)
MISSING(cudaDeviceGetNvSciSyncAttributes)
MISSING(cudaDeviceGetP2PAtomicCapabilities)
MISSING(cudaDeviceGetP2PAttribute)
MISSING(cudaDeviceGetTexture1DLinearMaxWidth)
MISSING(cudaDeviceRegisterAsyncNotification)
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
MISSING(cudaGraphAddExternalSemaphoresSignalNode)
MISSING(cudaGraphAddExternalSemaphoresWaitNode)
MISSING(cudaGraphConditionalHandleCreate)
MISSING(cudaGraphDebugDotPrint)
MISSING(cudaGraphEventRecordNodeSetEvent)
MISSING(cudaGraphEventWaitNodeSetEvent)
MISSING(cudaGraphExecChildGraphNodeSetParams)
MISSING(cudaGraphExecEventRecordNodeSetEvent)
MISSING(cudaGraphExecEventWaitNodeSetEvent)
MISSING(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
MISSING(cudaGraphExecGetFlags)
MISSING(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphExecMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphExecNodeSetParams)
MISSING(cudaGraphExternalSemaphoresSignalNodeGetParams)
MISSING(cudaGraphExternalSemaphoresSignalNodeSetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeGetParams)
MISSING(cudaGraphExternalSemaphoresWaitNodeSetParams)
MISSING(cudaGraphKernelNodeCopyAttributes)
MISSING(cudaGraphKernelNodeGetAttribute)
MISSING(cudaGraphKernelNodeSetAttribute)
MISSING(cudaGraphMemcpyNodeSetParamsFromSymbol)
MISSING(cudaGraphMemcpyNodeSetParamsToSymbol)
MISSING(cudaGraphNodeSetParams)
MISSING(cudaGraphReleaseUserObject)
MISSING(cudaGraphRetainUserObject)
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
MISSING(cudaLogsDumpToFile)
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
MISSING(cudaMipmappedArrayGetMemoryRequirements)
MISSING(cudaMipmappedArrayGetSparseProperties)
MISSING(cudaSetDoubleForDevice)
MISSING(cudaSetDoubleForHost)
MISSING(cudaSignalExternalSemaphoresAsync)
MISSING(cudaSignalExternalSemaphoresAsync_ptsz)
MISSING(cudaSignalExternalSemaphoresAsync_v2)
MISSING(cudaSignalExternalSemaphoresAsync_v2_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies)
MISSING(cudaStreamUpdateCaptureDependencies_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies_v2)
MISSING(cudaStreamUpdateCaptureDependencies_v2_ptsz)
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
