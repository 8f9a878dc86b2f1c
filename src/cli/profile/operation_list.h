/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of a layer that depend on one number of tokens: PROFILE_OPERATION(ID, name in tables). */
PROFILE_OPERATION(PRE_PROJECTION, "attn_pre_proj")
PROFILE_OPERATION(POST_PROJECTION, "attn_post_proj")
PROFILE_OPERATION(UP_PROJECTION, "mlp_up_proj")
PROFILE_OPERATION(DOWN_PROJECTION, "mlp_down_proj")
PROFILE_OPERATION(HEAD, "lm_head")
PROFILE_OPERATION(NORM, "layernorm")
PROFILE_OPERATION(ACTIVATION, "mlp_act")
PROFILE_OPERATION(ADD, "add")
PROFILE_OPERATION(EMBEDDING, "emb")
PROFILE_OPERATION(ROTARY, "attn_rope")
PROFILE_OPERATION(CACHE, "attn_kv_cache_save")
PROFILE_OPERATION(PREFILL, "attn_prefill")
