"""The verdict: sentences chosen by the data, with numbers from it."""
from lab.hybrid import live


def of_one(one):
    best = one.best()
    middle, low, high = one.times(*best)
    clear = "" if one.is_clear() else ", within the noise of others"
    return (f"{one.app.name}: {best[0]} {best[1]} is best on {one.cpus} CPUs, {middle:.2f} times ({low:.2f} to {high:.2f}) as fast as "
            f"the serial program{clear}; {live.reason(one)}.")


def of_binding(found):
    """Bound against unbound, over all layouts that fill the CPUs."""
    ratios = [one.times(layout, "bound")[0] / one.times(layout, "unbound")[0] for one in found
              for layout, binding in one.cases() if binding == "bound"]
    if not ratios:
        return []
    return [f"Bound ranks are {min(ratios):.2f} to {max(ratios):.2f} times as fast as unbound ones, by layout."]


def of_master(found):
    words = []
    for one in found:
        for layout, binding in one.cases():
            if binding != "bound" or not layout.startswith("1+") or (layout.removeprefix("1+"), binding) not in one.cases():
                continue
            ratio = one.times(layout, binding)[0] / one.times(layout.removeprefix("1+"), binding)[0]
            words.append(f"{layout} {ratio:.2f} times as fast as {layout.removeprefix('1+')}")
    return [f"An extra master: {', '.join(words)}."] if words else []


def of_this_machine(done, context):
    found = live.measured(done, context)
    missing = [f"On this machine {app.name} was not measured: {done[name].problem}." for app in live.applications(context)
               for name in (live.step_name(context, app),) if not done[name].data]
    return [*[of_one(one) for one in found], *of_binding(found), *of_master(found), *missing]
