/* Written by tests/digests.sh: {state after 20 steps, weights and state after 300}, in run_table's order. */
{0x3aa43ba3ef8fe4ea, 0x4e569fa1c0940f0d, 0xdcd67afa1734d789},     /* spiral fp32 */
    {0xcb6c1adde2e10e60, 0xf55ccf1562a30b8a, 0x1843267f2caa65d8}, /* xor fp32 */
    {0x06eef198f94be061, 0x7409b362a7338140, 0x0b098fcb16b59525}, /* spiral O1 */
    {0x3d438d0ed5ef4eed, 0xc2a7530403a24213, 0x162e4c2ed7ffbf19}, /* xor O1 */
    {0x42476f492b654af5, 0x7409b362a7338140, 0x120ae41bf894ac25}, /* spiral O2 */
    {0xda4ecb83c015f5bd, 0xc2a7530403a24213, 0x3a5ae3cf3c308bc9}, /* xor O2 */
    {0x50c480607dcd6938, 0xf5a240f7a8940943, 0x7ea9aa472d5d9548}, /* spiral O3 */
    {0xecff1b4322dcc4e0, 0xaa2fa477e2db31f2, 0x0dc087a1dcb98224}, /* xor O3 */
    {0xbe4abe7a2a462fd0, 0x34986129852af8e7, 0xad1ab13150af42cc}, /* spiral bf16 */
    {0xdcff3fac390b760e, 0x8db7da32a2981f54, 0x39ec69c28c8820e3}, /* xor bf16 */
    {0x02a8517a469c5f66, 0x193777ac9926d728, 0xf8aa4b29544976c3}, /* spiral fp16-pure */
    {0x4a206587d05c3444, 0x34377d5da2c88c2c, 0x09c95d41dec1cb9f}, /* xor fp16-pure */
    {0xa309d361e1c2f875, 0x63f3dedfe9c7e7af, 0x53a07e3ecc56b8d2}, /* spiral bf16-pure */
    {0xd9035bcec0a0baf4, 0xc3c6e70492734767, 0x4f068bd061a1d280}, /* xor bf16-pure */
    {0x85850c78424a1ec1, 0x404e96906260ca1c, 0xede3578415a0f1d7}, /* spiral fp16-pure rounding=sr */
    {0x1ea2801665262d1c, 0xbbdce34868c3220b, 0x7452db2aaa2cb7c7}, /* xor fp16-pure rounding=sr */
    {0x56b505a9215846c1, 0x1f4230eb99bb8426, 0x91fe974b4bf9a13a}, /* spiral fp16-pure rounding=kahan */
    {0x26a5ff01e6664d85, 0x9000703cc18fe917, 0x0a70a947ef79a3b1}, /* xor fp16-pure rounding=kahan */
    {0xd7546e794125c661, 0x32920d2eb9caa128, 0xff902f74bf69b988}, /* spiral bf16-pure rounding=sr */
    {0x21d4cd6b49b4eacc, 0xb3d69ad59b1c7662, 0x649bbc637cab291c}, /* xor bf16-pure rounding=sr */
    {0x537ee6ae155bd124, 0x69f2b824adc87654, 0x79eb4be94a4008c6}, /* spiral bf16-pure rounding=kahan */
    {0x84b153ffa8fd7e3e, 0xffdfb939b5a1d357, 0xa185ebf9690b8414}, /* xor bf16-pure rounding=kahan */
    {0x1215e2adfef8ff29, 0x34986129852af8e7, 0x26eb82284406a4be}, /* spiral bf16-pure master=on */
    {0x5d18051b775a01c1, 0x8db7da32a2981f54, 0x996173213bc4d79e}, /* xor bf16-pure master=on */
    {0x2ba88518f6d17249, 0x7ab94bcc8e445abe,
     0xec7b7bb8962b61d5}, /* spiral fp16-pure master=on rounding=kahan */
    {0x4bd71f0ddb5a2090, 0x4e9a88e259325d28, 0x457ec682c8f47e00}, /* xor fp16-pure master=on rounding=kahan */
    {0x85850c78424a1ec1, 0x404e96906260ca1c, 0xede3578415a0f1d7}, /* spiral O1 master=off rounding=sr */
    {0x1ea2801665262d1c, 0xbbdce34868c3220b, 0x7452db2aaa2cb7c7}, /* xor O1 master=off rounding=sr */
    {0xbe4abe7a2a462fd0, 0x34986129852af8e7, 0xad1ab13150af42cc}, /* spiral bf16 master=on */
    {0xdcff3fac390b760e, 0x8db7da32a2981f54, 0x39ec69c28c8820e3}, /* xor bf16 master=on */
    {0x0950a5f71f178954, 0x47fe8bfbe0a9efc7,
     0xf29ca0f40f9963a8}, /* spiral O3 rounding=sr optimizer=sgd lr=0.1 */
    {0x32a1940a905dda78, 0x784fcca38153534f,
     0x488c2ce77e615d44}, /* xor O3 rounding=sr optimizer=sgd lr=0.1 */
    {0xcfb6b90c810b7fca, 0x6d4f9eb8ed0102fa,
     0x7c8f5681a2848a3a}, /* spiral O3 rounding=kahan optimizer=momentum lr=0.01 */
    {0xa3fc96e918d77a7e, 0xa878e74f4032b59e,
     0xc493d156ff0c11cd}, /* xor O3 rounding=kahan optimizer=momentum lr=0.01 */
    {0x0b7d982c4404d964, 0x95b0722881c6e9d4,
     0xf844a3f59afb82b2}, /* spiral O3 master=on optimizer=momentum lr=0.01 scaler=fixed:1024 */
    {0x15ebca3bb49b9e95, 0x9110faf31145bb4c,
     0x5c0c4436471021d2}, /* xor O3 master=on optimizer=momentum lr=0.01 scaler=fixed:1024 */
    {0xcb35ed0981302598, 0x6eed7dbf6c3fc693,
     0x898e246f57e01391}, /* spiral fp32 rounding=kahan optimizer=momentum lr=0.05 */
    {0x15f3bfb71c35aae3, 0xf8adf8e995689f03,
     0x619d5eed48f90d6f}, /* xor fp32 rounding=kahan optimizer=momentum lr=0.05 */
    {0xf4d6b3d574154127, 0xb4f4161b2413fe0e,
     0x6330e52c16def4e4}, /* spiral bf16-pure rounding=sr optimizer=momentum lr=0.05 */
    {0xcbc27f13c1c3b054, 0x36e8d7fb1aae7885,
     0x13c5826fcda9c88c}, /* xor bf16-pure rounding=sr optimizer=momentum lr=0.05 */
    {0x03c239b1bcba9e8c, 0x4f16b06c33a793b7,
     0xbc051f809ac35553}, /* spiral O2 optimizer=momentum lr=0.05 scaler=pytorch:init=2^26,window=3 */
    {0x2a3dc9a88c674ffb, 0xfa53a7cad7526758,
     0xc1fd7a1ab59ea643}, /* xor O2 optimizer=momentum lr=0.05 scaler=pytorch:init=2^26,window=3 */
    {0x23908996f7c00cc0, 0x02f614e8176fadbd,
     0x8d0a87885413d733}, /* spiral fp16-pure optimizer=sgd lr=0.1 scaler=fixed:2^24 */
    {0xb603a62ff7577660, 0x9b279a055b7a5ec9,
     0x5ff8321c8e653093}, /* xor fp16-pure optimizer=sgd lr=0.1 scaler=fixed:2^24 */
    {0x73f762f13f88fa1e, 0x49ff30529ba85bc8,
     0x283d88d718b76da6}, /* spiral O1 optimizer=adam lr=0.01 scaler=fixed:2^24,check=off */
    {0xf10d3bb33a8cd5ee, 0xf4bc166a72e8fc18,
     0xe56417b349bb7536}, /* xor O1 optimizer=adam lr=0.01 scaler=fixed:2^24,check=off */
