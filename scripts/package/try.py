"""Installs each package as a user would and asks it for its tools.  try.py FOLDER"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

folder = Path(sys.argv[1]).resolve()
REQUESTS = '{"jsonrpc":"2.0","id":0,"method":"initialize"}\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'


def answers(name, command, **options):
    ran = subprocess.run(command, input=REQUESTS, capture_output=True, text=True, check=True, **options)
    tools = json.loads(ran.stdout.splitlines()[-1])["result"]["tools"]
    assert any(tool["name"] == "spec_create" for tool in tools), tools
    print(f"ok  {name} starts")


def quiet(*command, **options):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, **options)


with tempfile.TemporaryDirectory() as place:
    place = Path(place)

    quiet("mcpb", "unpack", next(folder.glob("*.mcpb")), place / "bundle")
    config = json.loads((place / "bundle/manifest.json").read_text())["server"]["mcp_config"]
    fill = {"${__dirname}": str(place / "bundle"), "${user_config.workspace}": str(place)}
    command = [config["command"], *config["args"]]
    for variable, value in fill.items():
        command = [part.replace(variable, value) for part in command]
    os.chmod(command[0], 0o755)
    answers("the .mcpb bundle", command)

    entry = json.loads((folder / "plugin/.mcp.json").read_text())["mcpServers"]["hewto"]
    command = entry["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(folder / "plugin"))
    answers("the Claude Code plugin", [command, *entry["args"]], cwd=place)

    quiet("npm", "pack", "--silent", "--pack-destination", place, folder / "npm")
    (place / "npm").mkdir()
    quiet("npm", "install", "--silent", "--no-audit", "--no-fund", "--offline", "--prefix", place / "npm",
          next(place.glob("hewto-*.tgz")))
    answers("the npm package", [place / "npm/node_modules/.bin/hewto", "serve"], cwd=place)

    quiet(sys.executable, "-m", "venv", place / "py")
    quiet(place / "py/bin/pip", "install", "--quiet", "--no-index", "--no-deps", next(folder.glob("*.whl")))
    answers("the Python wheel", [place / "py/bin/hewto", "serve"], cwd=place)
