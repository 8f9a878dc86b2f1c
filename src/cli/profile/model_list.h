/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models that `maniple profile` knows by name: PROFILE_MODEL(name, name elsewhere, layers, hidden size, heads, heads of
 * keys and values, numbers of a head, intermediate size, vocabulary, vocabulary that Vidur states). From their
 * published config.json. `tiny` is for tests.
 */
PROFILE_MODEL("llama-2-7b", "meta-llama/Llama-2-7b-hf", 32, 4096, 32, 32, 128, 11008, 32000, 32768)
PROFILE_MODEL("llama-2-13b", "meta-llama/Llama-2-13b-hf", 40, 5120, 40, 40, 128, 13824, 32000, 32768)
PROFILE_MODEL("llama-2-70b", "meta-llama/Llama-2-70b-hf", 80, 8192, 64, 8, 128, 28672, 32000, 32768)
PROFILE_MODEL("llama-3-8b", "meta-llama/Meta-Llama-3-8B", 32, 4096, 32, 8, 128, 14336, 128256, 128256)
PROFILE_MODEL("llama-3.1-8b", "meta-llama/Llama-3.1-8B", 32, 4096, 32, 8, 128, 14336, 128256, 128256)
PROFILE_MODEL("llama-3-70b", "meta-llama/Meta-Llama-3-70B", 80, 8192, 64, 8, 128, 28672, 128256, 128256)
PROFILE_MODEL("llama-3.2-1b", "meta-llama/Llama-3.2-1B", 16, 2048, 32, 8, 64, 8192, 128256, 128256)
PROFILE_MODEL("mistral-7b", "mistralai/Mistral-7B-v0.1", 32, 4096, 32, 8, 128, 14336, 32000, 32000)
PROFILE_MODEL("tiny", "tiny", 2, 256, 4, 2, 64, 512, 1024, 1024)
