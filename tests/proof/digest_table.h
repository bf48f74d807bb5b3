/* Written by tests/digests.sh: {state after 20 steps, weights and state after 300}, in run_table's order. */
/* clang-format off */
    {0x86c945f40e7f2154, 0x39cb70c3035793ab, 0x3b3734e2045982fd}, /* spiral fp32 */
    {0x95f08310caf7f54c, 0x2f6aad0b24e825d1, 0x755bbbb342f236f0}, /* xor fp32 */
    {0xa4eedfb2f7c2ea80, 0x53fe21a94ebd83bd, 0x40a9fb47fea50688}, /* spiral O1 */
    {0x9bd151c227a19164, 0x2a5c973d8e756c26, 0xc7ea86d1cc493d2d}, /* xor O1 */
    {0x192f29760efa7506, 0x53fe21a94ebd83bd, 0x1e27ceaec423a128}, /* spiral O2 */
    {0x540a935c7e5d0248, 0x2a5c973d8e756c26, 0x7644adc846ac8298}, /* xor O2 */
    {0x50c480607dcd6938, 0xf5a240f7a8940943, 0x7ea9aa472d5d9548}, /* spiral O3 */
    {0x9d58c3c9e190e3f0, 0x13a153b46d3d2e73, 0xef35c42cdf235ef4}, /* xor O3 */
    {0x952cf4cdafb4494b, 0x022252fa5cd82ac5, 0x133281625a5ca514}, /* spiral bf16 */
    {0xec090f1ad8c28538, 0x48b82a629a7f48fa, 0x3f6024fc0aade204}, /* xor bf16 */
    {0x87e14c1c02e72843, 0x4559ebd8bf30b9f8, 0xfbab7f22f77c575b}, /* spiral fp16-pure */
    {0x5082a0745a019f5c, 0x01f5f74db88760f8, 0xadd0986b6e27f74f}, /* xor fp16-pure */
    {0x6be8b409abf5e67e, 0x235a82ae00ab05d5, 0xb3e6a9a9fda17825}, /* spiral bf16-pure */
    {0x111d156e64106dcc, 0x7950aac556caf29c, 0xd1235c472be1090c}, /* xor bf16-pure */
    {0xe2a8850711e10c3f, 0xdb919379bb8adaf6, 0xd116c481cdde706f}, /* spiral fp16-pure rounding=sr */
    {0xc2d561d9fdecea1c, 0x1de65cdbb9269a88, 0x23b8b6147343b397}, /* xor fp16-pure rounding=sr */
    {0xd5f69740645fdedc, 0x446d91b2372e82c6, 0xcd87765532edadb0}, /* spiral fp16-pure rounding=kahan */
    {0x6a5d409d9088ff77, 0x43bdc0af161aa6ff, 0xa8fede6f3f7d3fac}, /* xor fp16-pure rounding=kahan */
    {0x0947a252a5a90c81, 0x8478040139ebc2a1, 0x883ee0cb0016091a}, /* spiral bf16-pure rounding=sr */
    {0x34db38012048e2cc, 0xb2a0f656e53fdf1c, 0x5103191ffc0be538}, /* xor bf16-pure rounding=sr */
    {0x3bf5e389228d7223, 0xf50c4bfdb3016931, 0xeea2e9fa8a179278}, /* spiral bf16-pure rounding=kahan */
    {0x54b9b4805f16e148, 0xc99acbd05e895970, 0xfbc27e5870254839}, /* xor bf16-pure rounding=kahan */
    {0xf5d5b37bc5fb779c, 0x022252fa5cd82ac5, 0xe2a976406a132e9c}, /* spiral bf16-pure master=on */
    {0xd8e6450dbe5f6862, 0x48b82a629a7f48fa, 0x359913ad73183d3f}, /* xor bf16-pure master=on */
    {0xffae99d0d7377648, 0x3cc086d72a6d7cab, 0x6243776074f5d87d}, /* spiral fp16-pure master=on rounding=kahan */
    {0xaddd7ebe75e2cf38, 0x691d998940e27126, 0x85259661629f5156}, /* xor fp16-pure master=on rounding=kahan */
    {0xe2a8850711e10c3f, 0xdb919379bb8adaf6, 0xd116c481cdde706f}, /* spiral O1 master=off rounding=sr */
    {0xc2d561d9fdecea1c, 0x1de65cdbb9269a88, 0x23b8b6147343b397}, /* xor O1 master=off rounding=sr */
    {0x952cf4cdafb4494b, 0x022252fa5cd82ac5, 0x133281625a5ca514}, /* spiral bf16 master=on */
    {0xec090f1ad8c28538, 0x48b82a629a7f48fa, 0x3f6024fc0aade204}, /* xor bf16 master=on */
    {0xffa7cd7d058c2308, 0xaba416bf6b707a9b, 0xe1f2adb71b7083c4}, /* spiral O3 rounding=sr optimizer=sgd lr=0.1 */
    {0xa0deaec6188d7750, 0xb78de56f705ad2e3, 0x85f2c9c91fb7f914}, /* xor O3 rounding=sr optimizer=sgd lr=0.1 */
    {0xdf0a8aeb5001e362, 0x53ac5ba5d6beb786, 0x45db9b1e129198a4}, /* spiral O3 rounding=kahan optimizer=momentum lr=0.01 */
    {0xdf9dc4d457a5d795, 0x2a09b7efa61f1a52, 0xbf985f15d95cd515}, /* xor O3 rounding=kahan optimizer=momentum lr=0.01 */
    {0x3f3577f93265249a, 0xeb0ecab0db889590, 0x96c0c11804999366}, /* spiral O3 master=on optimizer=momentum lr=0.01 scaler=fixed:1024 */
    {0x2175c40b777ffa9c, 0x211aa82a397c3cd3, 0xbd67929943387c18}, /* xor O3 master=on optimizer=momentum lr=0.01 scaler=fixed:1024 */
    {0xd99c579179fbd967, 0xd85c948c56aa347a, 0xd6282d81e28c956f}, /* spiral fp32 rounding=kahan optimizer=momentum lr=0.05 */
    {0xd000b680a0b74649, 0x80dbb34e92706bfd, 0xd47a8e60012e7b2f}, /* xor fp32 rounding=kahan optimizer=momentum lr=0.05 */
    {0x90e266ffe5ce5eb6, 0xb5ec6f1c9ba7bf44, 0xf8ebf7feaa3fbcd9}, /* spiral bf16-pure rounding=sr optimizer=momentum lr=0.05 */
    {0x770919a3b92894ab, 0x2a9ecbb5ccb0fc6c, 0x7ffe973e9de77d73}, /* xor bf16-pure rounding=sr optimizer=momentum lr=0.05 */
    {0x1bf66602df24a715, 0xb02960df39b1f50f, 0x1b3aea6d2c6170a4}, /* spiral O2 optimizer=momentum lr=0.05 scaler=pytorch:init=2^26,window=3 */
    {0x2ffbffa21918c15d, 0xd5ca8b2b71b5f3b5, 0x8cabd2a6bdebfa42}, /* xor O2 optimizer=momentum lr=0.05 scaler=pytorch:init=2^26,window=3 */
    {0x23908996f7c00cc0, 0x02f614e8176fadbd, 0x8d0a87885413d733}, /* spiral fp16-pure optimizer=sgd lr=0.1 scaler=fixed:2^24 */
    {0xb603a62ff7577660, 0x9b279a055b7a5ec9, 0x5ff8321c8e653093}, /* xor fp16-pure optimizer=sgd lr=0.1 scaler=fixed:2^24 */
    {0x73f762f13f88fa1e, 0x49ff30529ba85bc8, 0x283d88d718b76da6}, /* spiral O1 optimizer=adam lr=0.01 scaler=fixed:2^24,check=off */
    {0xf10d3bb33a8cd5ee, 0xf4bc166a72e8fc18, 0xe56417b349bb7536}, /* xor O1 optimizer=adam lr=0.01 scaler=fixed:2^24,check=off */
