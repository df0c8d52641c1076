"""Lays out the packages round one binary. Called by build.sh; standard library only, plus the `mcpb` command.

  build.py BINARY FOLDER
"""

import base64
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NAME = "io.github.hewto/hewto"
SUMMARY = "Specs, plans and decisions of a repository, shared by people and coding agents over MCP"
REPOSITORY = "https://github.com/hewto/hewto"
VERSION = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
KEYWORDS = ["mcp", "specification", "planning", "decisions", "agents"]
CPU = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
SYSTEM = {"Linux": "linux", "Darwin": "darwin"}[platform.system()]


def main():
    binary, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True)
    bundle = mcpb(binary, folder)
    plugin(binary, folder / "plugin")
    npm(binary, folder / "npm")
    wheel(binary, folder)
    registry(bundle, folder / "server.json")


def mcpb(binary, folder):
    """The bundle that desktop hosts install with a double click."""
    stage = folder / "bundle"
    install(binary, stage / "server" / "hewto")
    write(stage / "manifest.json", {
        "manifest_version": "0.3",
        "name": "hewto",
        "display_name": "hewto",
        "version": VERSION,
        "description": SUMMARY,
        "author": {"name": "hewto", "url": REPOSITORY},
        "repository": {"type": "git", "url": REPOSITORY},
        "license": "MIT OR Apache-2.0",
        "keywords": KEYWORDS,
        "server": {
            "type": "binary",
            "entry_point": "server/hewto",
            "mcp_config": {
                "command": "${__dirname}/server/hewto",
                "args": ["serve", "--workspace", "${user_config.workspace}"],
            },
        },
        "tools": [{"name": tool["name"], "description": tool["description"]} for tool in tools(binary)],
        "user_config": {
            "workspace": {
                "type": "directory",
                "title": "Workspace",
                "description": "The repository whose specs are served",
                "required": True,
            },
        },
        "compatibility": {"platforms": [SYSTEM]},
    })
    bundle = folder / f"hewto-mcp-{VERSION}-{SYSTEM}-{CPU}.mcpb"
    subprocess.run(["mcpb", "pack", stage, bundle], check=True, stdout=subprocess.DEVNULL)
    return bundle


def plugin(binary, folder):
    """The folder that Claude Code takes as a plugin: the server and when to use it."""
    install(binary, folder / "bin" / "hewto")
    write(folder / ".claude-plugin" / "plugin.json", {
        "name": "hewto",
        "version": VERSION,
        "description": SUMMARY,
        "author": {"name": "hewto"},
        "repository": REPOSITORY,
        "license": "MIT OR Apache-2.0",
        "keywords": KEYWORDS,
    })
    write(folder / ".mcp.json", {
        "mcpServers": {"hewto": {"command": "${CLAUDE_PLUGIN_ROOT}/bin/hewto", "args": ["serve"]}},
    })
    shutil.copytree(HERE / "plugin" / "skills", folder / "skills")


def npm(binary, folder):
    """The npm package: the binary itself is the command, so nothing starts before it."""
    install(binary, folder / "bin" / "hewto")
    readme(folder / "README.md")
    write(folder / "package.json", {
        "name": "hewto",
        "version": VERSION,
        "description": SUMMARY,
        "mcpName": NAME,
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"},
        "keywords": KEYWORDS,
        "bin": {"hewto": "bin/hewto"},
        "files": ["bin/hewto", "README.md"],
        "os": [SYSTEM],
        "cpu": [CPU],
    })


def wheel(binary, folder):
    """The Python wheel: the binary among the scripts of the environment."""
    libc, version = platform.libc_ver()
    machine = platform.machine()
    if SYSTEM == "darwin":
        tag = f"py3-none-macosx_11_0_{machine}"
    elif libc == "glibc":
        tag = f"py3-none-manylinux_{version.replace('.', '_')}_{machine}"
    else:
        tag = f"py3-none-linux_{machine}"
    readme_path = folder / "README.md"
    readme(readme_path)
    info = f"hewto-{VERSION}.dist-info"
    metadata = (
        f"Metadata-Version: 2.4\nName: hewto\nVersion: {VERSION}\nSummary: {SUMMARY}\n"
        f"License-Expression: MIT OR Apache-2.0\nProject-URL: Repository, {REPOSITORY}\n"
        f"Keywords: {','.join(KEYWORDS)}\nDescription-Content-Type: text/markdown\n\n{readme_path.read_text()}"
    )
    readme_path.unlink()
    files = {
        f"hewto-{VERSION}.data/scripts/hewto": binary.read_bytes(),
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: hewto\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }
    record = "".join(f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(folder / f"hewto-{VERSION}-{tag}.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, data)


def registry(bundle, path):
    """What the MCP registry is told."""
    stdio = {"type": "stdio"}
    serve = [{"type": "positional", "value": "serve"}]
    write(path, {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": NAME,
        "title": "hewto",
        "description": SUMMARY,
        "version": VERSION,
        "repository": {"url": REPOSITORY, "source": "github"},
        "packages": [
            {
                "registryType": "mcpb",
                "identifier": f"{REPOSITORY}/releases/download/v{VERSION}/{bundle.name}",
                "version": VERSION,
                "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
                "transport": stdio,
            },
            {
                "registryType": "npm",
                "registryBaseUrl": "https://registry.npmjs.org",
                "identifier": "hewto",
                "version": VERSION,
                "runtimeHint": "npx",
                "packageArguments": serve,
                "transport": stdio,
            },
            {
                "registryType": "pypi",
                "registryBaseUrl": "https://pypi.org",
                "identifier": "hewto",
                "version": VERSION,
                "runtimeHint": "uvx",
                "packageArguments": serve,
                "transport": stdio,
            },
        ],
    })


def tools(binary):
    """The tools that the server itself lists."""
    requests = '{"jsonrpc":"2.0","id":0,"method":"initialize"}\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    ran = subprocess.run([binary, "serve"], input=requests, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])["result"]["tools"]


def install(binary, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(binary, path)
    path.chmod(0o755)


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + os.linesep)


def readme(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = (ROOT / "README.md").read_text()
    # By this line the registry knows that the package and the entry have one owner.
    path.write_text(f"{text}\n<!-- mcp-name: {NAME} -->\n")


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


main()
