"""approvalRules/list and approvalRules/remove (APPR-12)."""

from msgspec import UNSET

from turnwire.server.call import Call, Handler
from turnwire.server.cursors import binding
from turnwire.server.engine import engine_of
from turnwire.server.paging import Query, page
from turnwire.wire import ApprovalRulesListParams, ApprovalRulesListResult, ApprovalRulesRemoveParams, EmptyResult

__all__ = ["HANDLERS"]

# What an absent `limit` means, by the schema.
_RULES = 100


def rules(call: Call) -> ApprovalRulesListResult:
    params: ApprovalRulesListParams = call.params
    engine = engine_of(call.state)
    if params.thread_id is UNSET:
        found = engine.rules.of_workspaces()
    else:
        header = engine.threads.header(params.thread_id)
        found = engine.rules.holding_in(header, engine.threads.loaded(params.thread_id))
    by_id = {rule.id: rule for rule in found}
    places = sorted((rule.created_at, rule.id) for rule in found)
    query = Query(
        binding=binding("rules", thread=params.thread_id),
        cursor=params.cursor,
        limit=_RULES if params.limit is UNSET else params.limit,
        descending=False,
        page_bytes=call.state.limits.page_bytes,
        end=places[-1][0] if places else 0,
    )
    data, cursor = page(places, query, by_id.__getitem__)
    return ApprovalRulesListResult(data=data, next_cursor=cursor)


def remove(call: Call) -> EmptyResult:
    params: ApprovalRulesRemoveParams = call.params
    engine_of(call.state).rules.remove(params.rule_id)
    return EmptyResult()


HANDLERS: dict[str, Handler] = {"approvalRules/list": rules, "approvalRules/remove": remove}
