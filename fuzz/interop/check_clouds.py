"""Has dfaparse read objects of servers that speak like the clouds: moto for S3, gcp-storage-emulator for
Google's, Azurite for Azure's. Each is started on a port of its own, and asked with credentials.

    python fuzz/interop/check_clouds.py bin/dfaparse path/to/azurite-blob
"""

import gzip
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import azure.storage.blob
import boto3

DFAPARSE, AZURITE = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:3])
ACCOUNT = "devstoreaccount1"  # Azurite's, and its key, which everybody knows
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

random.seed(1)
ROWS = [f"{i},{random.random():.6f},text {i % 97}" for i in range(400_000)]
BIG = ("id,x,s\n" + "\n".join(ROWS) + "\n").encode()  # several ranges
OBJECTS = {
    "logs/year=2024/a.csv": BIG,
    "logs/year=2025/b.csv.gz": gzip.compress(BIG, 1),
    "logs/year=2025/_SUCCESS": b"",
    "odd/x y+%41 \u00e9.csv": b"id,x,s\n1,2,3\n",
    **{f"many/{i:04}.csv": f"id,x,s\n{i},1.5,a\n".encode() for i in range(1100)},  # more than a page
}


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def started(command, at):
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", at), 1).close()
            return server
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{command[0]} does not start")


def dfaparse(env, *args):
    done = subprocess.run([DFAPARSE, *args], capture_output=True, text=True, env={**CLEAN, **env})
    if any(secret in done.stdout + done.stderr for secret in ("hidden", KEY)):
        sys.exit(f"{args}: a secret is told")
    return done


def check(what, env, root):
    def want(ok, out, *args):
        done = dfaparse(env, *args)
        said = done.stdout if ok else done.stderr
        if (done.returncode == 0) != ok or out not in said:
            sys.exit(f"{what}: {args}: exit {done.returncode}: {said[-300:]}{done.stderr[:3000]}, want {out}")

    n = len(ROWS)
    want(True, f"{n}\n", "count", f"{root}/logs/year=2024/a.csv")
    want(True, f"{2 * n}  total", "count", f"{root}/logs/")
    want(True, f"{{\"year\":2024,\"count()\":{n}}}", "aggregate", "--hive", f"{root}/logs/", "--by", "year", "--to", "jsonl")
    want(True, f"{n - 1},", "parse", "--to", "csv", f"{root}/logs/**/*.gz")
    want(True, "id  int64", "schema", f"{root}/logs/year=2024/a.csv")
    want(True, "1,2,3\n", "parse", "--to", "csv", f"{root}/odd/x y+%41 \u00e9.csv")
    want(True, "1100  total", "count", "-f", "csv", f"{root}/many/*.csv")
    want(False, "the server says 404", "count", "-f", "csv", f"{root}/none.csv")
    want(False, "no object matches", "count", f"{root}/none*.csv")
    print(f"{what}: ok")


CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "GOOGLE_", "AZURE_", "STORAGE_"))}
CLEAN["HOME"] = tempfile.mkdtemp()


def s3():
    at = port()
    # Once there is a user, moto is told to check signatures.
    server = started([sys.executable, "-m", "moto.server", "-p", str(at)], at)
    try:
        url = f"http://127.0.0.1:{at}"
        made = dict(endpoint_url=url, region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
        store = boto3.client("s3", **made)
        store.create_bucket(Bucket="bucket")
        for key, data in OBJECTS.items():
            store.put_object(Bucket="bucket", Key=key, Body=data)
        iam = boto3.client("iam", **made)
        iam.create_user(UserName="me")
        iam.put_user_policy(UserName="me", PolicyName="all", PolicyDocument='{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}')
        key = iam.create_access_key(UserName="me")["AccessKey"]
        urllib.request.urlopen(urllib.request.Request(f"{url}/moto-api/reset-auth", data=b"0", headers={"Content-Type": "text/plain"}, method="POST"))
        env = {"AWS_ENDPOINT_URL": url, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
        check("S3, by moto", env, "s3://bucket")
        wrong = dfaparse({**env, "AWS_SECRET_ACCESS_KEY": "hidden"}, "count", "-f", "csv", "s3://bucket/odd/x.csv")
        if wrong.returncode == 0 or "SignatureDoesNotMatch" not in wrong.stderr:
            sys.exit(f"a wrong key: {wrong.stderr}")
        folder = pathlib.Path(tempfile.mkdtemp())
        (folder / "keys").write_text(f"[other]\naws_access_key_id = {key['AccessKeyId']}\naws_secret_access_key = {key['SecretAccessKey']}\n")
        check("S3, by a file", {"AWS_ENDPOINT_URL": url, "AWS_SHARED_CREDENTIALS_FILE": str(folder / "keys"), "AWS_PROFILE": "other"}, "s3://bucket")
    finally:
        server.kill()


def gs():
    at = port()
    from gcp_storage_emulator.server import create_server

    server = create_server("127.0.0.1", at, in_memory=True, default_bucket="bucket")
    server.start()
    try:
        for key, data in OBJECTS.items():
            if not data:
                continue  # which the emulator does not take
            name = urllib.parse.quote(key, safe="")
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{at}/upload/storage/v1/b/bucket/o?uploadType=media&name={name}", data=data, method="POST"))
        check("Google's, by gcp-storage-emulator", {"STORAGE_EMULATOR_HOST": f"127.0.0.1:{at}"}, "gs://bucket")
    finally:
        server.stop()


def az():
    at = port()
    folder = tempfile.mkdtemp()
    server = started([AZURITE, "--blobPort", str(at), "--location", folder, "--silent", "--skipApiVersionCheck"], at)
    try:
        text = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint=http://127.0.0.1:{at}/{ACCOUNT};"
        box = azure.storage.blob.BlobServiceClient.from_connection_string(text).create_container("box")
        for key, data in OBJECTS.items():
            box.upload_blob(key, data)
        check("Azure's, by Azurite", {"AZURE_STORAGE_CONNECTION_STRING": text}, "az://box")
        wrong = text.replace(KEY, "aGlkZGVu")
        refused = dfaparse({"AZURE_STORAGE_CONNECTION_STRING": wrong}, "count", "-f", "csv", "az://box/many/0000.csv")
        if refused.returncode == 0 or "AuthorizationFailure" not in refused.stderr and "AuthenticationFailed" not in refused.stderr:
            sys.exit(f"a wrong key: {refused.stderr}")
    finally:
        server.kill()


for one in (s3, gs, az):
    one()
