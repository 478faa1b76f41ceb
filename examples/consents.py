"""A shopper withdraws a consent, and the operator checks the consent log. Standard library only.

Needs ADMIN_KEY; SERVICE_URL and SHOP name another service or store.
"""
import json
import os
import time
import urllib.request

SERVICE_URL = os.environ.get("SERVICE_URL", "http://127.0.0.1:3000")
SHOP = os.environ.get("SHOP", "demo-store.myshopify.com")


def call(method, path, body=None, token=None):
    request = urllib.request.Request(
        SERVICE_URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "X-Storefront-Shop-Domain": SHOP},
    )
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


session = call(
    "POST",
    "/auth/signup",
    {
        "email": f"alan-{time.time_ns()}@example.com",
        "password": "correct horse battery staple",
        "consent_tos": True,
        "consent_privacy": True,
        "consent_marketing": True,
    },
)
change = call(
    "POST",
    "/auth/consent-sync",
    {"consent_marketing": False, "method": "compliance-page"},
    token=session["token"],
)
print("Recorded:", change["recorded"])

history = call("GET", "/ucp/consent-history?include=outcome", token=session["token"])
for record in history["records"]:
    print(record["created_at"], record["consent_type"], record["outcome"])

check = call("GET", "/admin/consent/verify", token=os.environ["ADMIN_KEY"])
print(f"The log has {check['rows']} rows and is", "intact." if check["ok"] else check["problems"])
if not check["ok"]:
    raise SystemExit(1)
