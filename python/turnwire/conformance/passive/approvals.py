"""The approvals of one thread: shown, asked for and settled, each with the same words to everyone.

The nonce is the permission to answer, so it is "in the request, in `pending` of `thread/resume`, and nowhere else".
"""

from typing import Any

from turnwire.conformance.passive.findings import Findings, Recent
from turnwire.conformance.passive.items import ItemLog

__all__ = ["ApprovalLog"]

# APPR-12, APPR-14: what a saved rule or the mode of the thread answers is asked of nobody.
UNASKED = ("rule", "mode")


class ApprovalLog:
    """What has been told of the approvals of one thread."""

    def __init__(self, findings: Findings, items: ItemLog) -> None:
        self._findings = findings
        self._items = items
        self._waiting: dict[str, dict[str, Any]] = {}
        self._settled = Recent()

    def seed(self, pending: list[dict[str, Any]]) -> None:
        """What `thread/resume` says that waits."""
        approvals = [request["approval"] for request in pending if "approval" in request]
        self._waiting = {approval["approvalId"]: _without_nonce(approval) for approval in approvals}

    def item_told(self, item: dict[str, Any]) -> None:
        """An item that shows an approval shows no nonce."""
        if "approval" in item:
            self._judge_secret(item["approval"], f"the item {item['id']}")

    def requested(self, approval: dict[str, Any]) -> None:
        """APPR-1: "The approval item starts first. Then `approval/requested` goes to all subscribers"."""
        self._findings.judge("appr.item-first")
        if not self._items.is_open(approval["itemId"], "approval"):
            self._findings.broke(
                "appr.item-first", f"item/started of {approval['itemId']}, an approval", "approval/requested first"
            )
        self._judge_secret(approval, "approval/requested")
        self._waiting[approval["approvalId"]] = _without_nonce(approval)

    def asked(self, approval: dict[str, Any]) -> None:
        """APPR-1, APPR-2: `approval/request` comes after the notification, with the same approval and a nonce.

        A dialect may have no such notification: then the request is the first that is heard of it.
        """
        self._findings.judge("appr.item-first", "appr.notification-equals-request")
        identifier = approval["approvalId"]
        told = self._waiting.get(identifier)
        if told is None:
            self._findings.broke("appr.item-first", f"approval/requested of {identifier}", "approval/request first")
            self._waiting[identifier] = _without_nonce(approval)
        elif told != _without_nonce(approval):
            names = {*told, *approval}
            differing = sorted(name for name in names if told.get(name) != _without_nonce(approval).get(name))
            self._findings.broke(
                "appr.notification-equals-request", "the same approval but for the nonce", ", ".join(differing)
            )

    def resolved(self, identifier: str, resolution: dict[str, Any]) -> None:
        """APPR-7: "There is one that settles the approval; only `defer` may come before it"."""
        self._findings.judge("appr.resolved-once")
        if identifier in self._settled:
            self._findings.broke("appr.resolved-once", f"one that settles {identifier}", "approval/resolved again")
        elif identifier not in self._waiting and resolution.get("outcome") not in UNASKED:
            self._findings.broke("appr.resolved-once", f"approval/requested of {identifier}", "approval/resolved alone")
        if resolution.get("decision") != "defer":
            self._waiting.pop(identifier, None)
            self._settled.add(identifier, "settled")

    def turn_over(self, *, is_paused: bool) -> None:
        """What waits when a turn is over waits for ever, unless the turn paused for it."""
        if self._waiting and not is_paused:
            left = ", ".join(list(self._waiting)[:3])
            self._findings.broke("appr.resolved-once", "approval/resolved before the turn ends", f"{left} waits still")
            self._waiting.clear()

    def _judge_secret(self, approval: dict[str, Any], where: str) -> None:
        self._findings.judge("appr.nonce-secret")
        if "nonce" in approval["binding"]:
            self._findings.broke("appr.nonce-secret", "no nonce but in approval/request", f"one in {where}")


def _without_nonce(approval: dict[str, Any]) -> dict[str, Any]:
    binding = {name: value for name, value in approval["binding"].items() if name != "nonce"}
    return {**approval, "binding": binding}
