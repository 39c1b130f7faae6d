"""Turns the short form of a configuration (README.md, "The configuration") into a scheduler's configuration file."""

DEFAULT = [
    "predicates", "proportion", "priority", "elastic", "kubeflow", "ray", "nodeavailability", "gpusharingorder",
    "gpupack", "resourcetype", "subgrouporder", "taskorder", "nominatednode", "dynamicresources", "nodeplacement",
    "minruntime", "topology", "snapshot", "sg-nodelocalgreedy", "sg-multinodegang"]
OPERATOR = [
    "predicates", "proportion", "priority", "nodeavailability", "resourcetype", "podaffinity", "elastic", "kubeflow",
    "ray", "subgrouporder", "taskorder", "nominatednode", "dynamicresources", "minruntime", "topology", "snapshot",
    "sg-nodelocalgreedy", "sg-multinodegang", "gpupack", "nodeplacement", "gpusharingorder"]
PLUGINS = {
    "default": DEFAULT,
    "operator": OPERATOR,
    "spread": OPERATOR[:OPERATOR.index("gpupack")] + ["gpuspread", "nodeplacement"],
    "no-predicates": DEFAULT[1:],
    "numa": DEFAULT + ["numa"],
    "expectedruntime": [p for plugin in DEFAULT for p in (
        [plugin, "expectedruntime"] if plugin == "minruntime" else [plugin])]}
ACTIONS = "allocate, consolidation, reclaim, preempt, stalegangeviction"
PARAMS = {
    "schedulerName": "kai-scheduler",
    "maxNumberConsolidationPreemptees": -1,
    "allowConsolidatingReclaim": True,
    "globalDefaultStalenessGracePeriod": "60s",
    "useSchedulingSignatures": True,
    "fullHierarchyFairness": True,
    "stuckInReleasingThreshold": "2m0s",
    "restrictSchedulingNodes": False,
    "scheduleCSIStorage": False,
    "queueLabelKey": "kai.scheduler/queue"}


def expand(config, defaults=None):
    """The configuration file; `defaults` are those of the set."""
    config = {**(defaults or {}), **config}
    plugins = config.get("plugins", "default")
    names = PLUGINS[plugins] if isinstance(plugins, str) else plugins
    way = "spread" if plugins == "spread" else "binpack"
    arguments = {"nodeplacement": {"cpu": way, "gpu": way}, **config.get("arguments", {})}
    found = {"actions": config.get("actions", ACTIONS),
             "tiers": [{"plugins": [{"name": name, **({"arguments": arguments[name]} if arguments.get(name) else {})}
                                    for name in names]}]}
    for key in ("queueDepthPerAction", "actionArguments"):
        if config.get(key):
            found[key] = config[key]
    found["schedulerParams"] = {**PARAMS, **(defaults or {}).get("params", {}), **config.get("params", {})}
    return found
