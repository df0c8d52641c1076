#!/usr/bin/env python3
"""Write crates/search/model/graph.onnx and graph-int8.onnx: the graph of model.onnx without its large weights.

The large weights are not copied: they are declared as external data, by offset and length in model.onnx.

What a graph does for texts that are padded to one length is left out, since each text is run by itself: its vectors are the
same to the last bit. bulk-int8.onnx is relieved of that in place, if it is there.

graph.onnx turns the other weights into floats when it is loaded. graph-int8.onnx multiplies them as they are with what is
quantised on the way (MatMulInteger), which is faster and takes half the memory where the processor has an instruction for
it, and changes the vectors a little (docs/search.md).

Needs: pip install onnx numpy. Usage: scripts/minilm_graph.py [folder]
"""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

# What the graph calls model.onnx: rten takes external data only under such an ending.
LOCATION = "model.data"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "crates/search/model")
    data = (folder / "model.onnx").read_bytes()
    model = onnx.load_from_string(data)
    graph = model.graph

    for tensor in graph.initializer:
        if tensor.data_type in (TensorProto.INT8, TensorProto.UINT8) and len(tensor.raw_data) >= 4096:
            refer(tensor, data)

    del graph.value_info[:]
    run_alone(graph)
    (folder / "graph.onnx").write_bytes(model.SerializeToString(deterministic=True))
    multiply_integers(graph)
    (folder / "graph-int8.onnx").write_bytes(model.SerializeToString(deterministic=True))
    bulk = folder / "bulk-int8.onnx"
    if bulk.exists():
        model = onnx.load(bulk, load_external_data=False)
        run_alone(model.graph)
        bulk.write_bytes(model.SerializeToString(deterministic=True))


def run_alone(graph: onnx.GraphProto) -> None:
    """Leave out the mask, which hides nothing of a text that is run alone, and turn the keys once instead of twice."""
    made = {out: node for node in graph.node for out in node.output}
    same, nodes = {}, []
    for node in graph.node:
        source = made.get(node.input[0])
        if node.op_type == "Softmax" and source.op_type == "Add":
            node.input[0] = next(name for name in source.input if made[name].op_type == "MatMul")
        elif node.op_type == "Where" and source is not None and source.op_type == "IsNaN":
            # A row of which everything is hidden.
            same[node.output[0]] = node.input[2]
        elif node.op_type == "Reshape" and source is not None and turns(source, [0, 2, 1]):
            first = made[made[source.input[0]].input[0]]
            if not turns(first, [0, 2, 1, 3]):
                raise SystemExit(f"{node.output[0]} is not made of keys")
            node = helper.make_node("Transpose", [first.input[0]], [node.output[0]], perm=[0, 2, 3, 1])
        nodes.append(node)
    needed, kept = {value.name for value in graph.output}, []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            inputs = [same.get(name, name) for name in node.input]
            del node.input[:]
            node.input.extend(inputs)
            needed |= set(inputs)
            kept.append(node)
    replace(graph, reversed(kept))
    for field in (graph.initializer, graph.value_info):
        used = [value for value in field if value.name in needed]
        del field[:]
        field.extend(used)


def turns(node: onnx.NodeProto, order: list[int]) -> bool:
    return node.op_type == "Transpose" and list(node.attribute[0].ints) == order


def replace(graph: onnx.GraphProto, nodes: list) -> None:
    nodes = list(nodes)
    del graph.node[:]
    graph.node.extend(nodes)


def multiply_integers(graph: onnx.GraphProto) -> None:
    """Multiply int8 weights without turning them into floats; what they are multiplied with is quantised once."""
    made = {out: node for node in graph.node for out in node.output}
    sizes = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    graph.initializer.append(helper.make_tensor("int8_zero", TensorProto.INT8, [], [0]))
    nodes, quantised, done = [], set(), set()
    for node in graph.node:
        weight = made.get(node.input[1]) if node.op_type == "MatMul" else None
        cast = made.get(weight.input[0]) if weight is not None and weight.op_type == "Mul" else None
        if cast is None or cast.op_type != "Cast" or len(sizes.get(cast.input[0], [])) != 2:
            nodes.append(node)
            continue
        (x, _), out, scale = node.input, node.output[0], weight.input[1]
        if x not in quantised:
            quantised.add(x)
            parts = [x + part for part in ("_u8", "_u8_scale", "_u8_zero")]
            nodes.append(helper.make_node("DynamicQuantizeLinear", [x], parts))
        flat = out + "_weight_scale"
        shape = helper.make_tensor(flat + "_shape", TensorProto.INT64, [1], [-1])
        graph.initializer.append(shape)
        nodes += [
            helper.make_node("Reshape", [scale, flat + "_shape"], [flat]),
            helper.make_node("Mul", [x + "_u8_scale", flat], [out + "_scale"]),
            helper.make_node("MatMulInteger", [x + "_u8", cast.input[0], x + "_u8_zero", "int8_zero"], [out + "_i32"]),
            helper.make_node("Cast", [out + "_i32"], [out + "_f32"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [out + "_f32", out + "_scale"], [out]),
        ]
        columns = sizes[cast.input[0]][1]
        graph.value_info.append(helper.make_tensor_value_info(out + "_scale", TensorProto.FLOAT, [columns]))
        done |= {weight.output[0], cast.output[0]}
    replace(graph, [node for node in nodes if not done.intersection(node.output)])


def refer(tensor: TensorProto, data: bytes) -> None:
    raw = tensor.raw_data
    offset = data.find(raw)
    if offset < 0 or data.find(raw, offset + 1) >= 0:
        raise SystemExit(f"cannot place {tensor.name} in model.onnx")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", LOCATION), ("offset", str(offset)), ("length", str(len(raw)))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value


if __name__ == "__main__":
    main()
