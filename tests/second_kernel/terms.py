"""Terms. Equal terms are the same object (binder names do not count), so `is` compares them and caches can be kept by term.

Bound variables are numbers counted from the innermost binder (`Var`). To look below a binder, its variable is replaced by a
`Local`, which carries its type; its number is the smallest one that the term does not use. So what is computed about a term
depends on the term alone, and what was once computed about it holds everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tests.second_kernel import levels
from tests.second_kernel.levels import Level


class Term:
    """Any term. `loose`: how many binders it lacks; `fresh`: a number that none of its locals has, nor a larger one."""

    __slots__ = ("fresh", "loose", "poly")
    loose: int
    fresh: int
    poly: bool  # contains parameters of universes


class Var(Term):
    """The variable of the `index`-th binder outwards."""

    __slots__ = ("index",)

    def __init__(self, index: int):
        self.index, self.loose, self.fresh, self.poly = index, index + 1, 0, False


class Local(Term):
    """A variable whose binder was opened."""

    __slots__ = ("number", "type")

    def __init__(self, number: int, type: Term):
        self.number, self.type, self.loose, self.fresh, self.poly = number, type, 0, number + 1, type.poly


class Sort(Term):
    __slots__ = ("level",)

    def __init__(self, level: Level):
        self.level, self.loose, self.fresh, self.poly = level, 0, 0, bool(level.params)


class Const(Term):
    __slots__ = ("levels", "name")

    def __init__(self, name: str, levels: tuple[Level, ...]):
        self.name, self.levels, self.loose, self.fresh = name, levels, 0, 0
        self.poly = any(level.params for level in levels)


class App(Term):
    __slots__ = ("arg", "fn")

    def __init__(self, fn: Term, arg: Term):
        self.fn, self.arg = fn, arg
        self.loose = fn.loose if fn.loose > arg.loose else arg.loose
        self.fresh = fn.fresh if fn.fresh > arg.fresh else arg.fresh
        self.poly = fn.poly or arg.poly


class Binder(Term):
    """A function or a function type."""

    __slots__ = ("body", "type")

    def __init__(self, type: Term, body: Term):
        self.type, self.body = type, body
        self.loose = max(type.loose, body.loose - 1)
        self.fresh = type.fresh if type.fresh > body.fresh else body.fresh
        self.poly = type.poly or body.poly


class Lam(Binder):
    __slots__ = ()


class Pi(Binder):
    __slots__ = ()


class Let(Term):
    __slots__ = ("body", "type", "value")

    def __init__(self, type: Term, value: Term, body: Term):
        self.type, self.value, self.body = type, value, body
        self.loose = max(type.loose, value.loose, body.loose - 1)
        self.fresh = max(type.fresh, value.fresh, body.fresh)
        self.poly = type.poly or value.poly or body.poly


class Proj(Term):
    """Field `index` of a value of the structure `name`."""

    __slots__ = ("index", "name", "value")

    def __init__(self, name: str, index: int, value: Term):
        self.name, self.index, self.value = name, index, value
        self.loose, self.fresh, self.poly = value.loose, value.fresh, value.poly


class Lit(Term):
    """A number or a text."""

    __slots__ = ("value",)

    def __init__(self, value: int | str):
        self.value, self.loose, self.fresh, self.poly = value, 0, 0, False


_vars: dict[int, Var] = {}
_locals: dict[tuple[int, Term], Local] = {}
_sorts: dict[Level, Sort] = {}
_consts: dict[tuple[str, tuple[Level, ...]], Const] = {}
_apps: dict[tuple[Term, Term], App] = {}
_lams: dict[tuple[Term, Term], Lam] = {}
_pis: dict[tuple[Term, Term], Pi] = {}
_lets: dict[tuple[Term, Term, Term], Let] = {}
_projs: dict[tuple[str, int, Term], Proj] = {}
_lits: dict[int | str, Lit] = {}


def var(index: int) -> Var:
    return _vars.get(index) or _vars.setdefault(index, Var(index))


def local(number: int, type: Term) -> Local:
    return _locals.get((number, type)) or _locals.setdefault((number, type), Local(number, type))


def sort(level: Level) -> Sort:
    return _sorts.get(level) or _sorts.setdefault(level, Sort(level))


def const(name: str, *levels: Level) -> Const:
    return _consts.get((name, levels)) or _consts.setdefault((name, levels), Const(name, levels))


def app(fn: Term, arg: Term) -> App:
    key = (fn, arg)
    term = _apps.get(key)
    if term is None:
        term = _apps[key] = App(fn, arg)
    return term


def lam(type: Term, body: Term) -> Lam:
    key = (type, body)
    term = _lams.get(key)
    if term is None:
        term = _lams[key] = Lam(type, body)
    return term


def pi(type: Term, body: Term) -> Pi:
    key = (type, body)
    term = _pis.get(key)
    if term is None:
        term = _pis[key] = Pi(type, body)
    return term


def let(type: Term, value: Term, body: Term) -> Let:
    key = (type, value, body)
    return _lets.get(key) or _lets.setdefault(key, Let(type, value, body))


def proj(name: str, index: int, value: Term) -> Proj:
    key = (name, index, value)
    return _projs.get(key) or _projs.setdefault(key, Proj(name, index, value))


def lit(value: int | str) -> Lit:
    return _lits.get(value) or _lits.setdefault(value, Lit(value))


PROP = sort(levels.ZERO)
TYPE = sort(levels.ONE)


def apply(fn: Term, args: Iterable[Term]) -> Term:
    for arg in args:
        fn = app(fn, arg)
    return fn


def spine(term: Term) -> tuple[Term, list[Term]]:
    """The head of an application and its arguments."""
    args = []
    while term.__class__ is App:
        args.append(term.arg)
        term = term.fn
    args.reverse()
    return term, args


def head(term: Term) -> Term:
    while isinstance(term, App):
        term = term.fn
    return term


def domains(type: Term) -> list[Term]:
    """The types of a function type's arguments."""
    found = []
    while isinstance(type, Pi):
        found.append(type.type)
        type = type.body
    return found


def children(term: Term) -> tuple[Term, ...]:
    """Its direct parts; the types of locals do not count."""
    match term:
        case App():
            return (term.fn, term.arg)
        case Binder():
            return (term.type, term.body)
        case Let():
            return (term.type, term.value, term.body)
        case Proj():
            return (term.value,)
    return ()


def subterms(*terms: Term) -> Iterator[Term]:
    """Every part of the terms, each once."""
    seen: set[Term] = set(terms)
    todo = list(seen)
    while todo:
        term = todo.pop()
        yield term
        for part in children(term):
            if part not in seen:
                seen.add(part)
                todo.append(part)


def constants(*terms: Term) -> set[str]:
    """The names that the terms use, those of structures in projections among them."""
    return {term.name for term in subterms(*terms) if isinstance(term, Const | Proj)}


def rebuild(term: Term, part: Callable[[Term, int], Term], depth: int) -> Term:
    """The term with each direct part replaced; `part` is told below how many binders the part stands."""
    if term.__class__ is App:
        return app(part(term.fn, depth), part(term.arg, depth))
    if term.__class__ is Lam:
        return lam(part(term.type, depth), part(term.body, depth + 1))
    if term.__class__ is Pi:
        return pi(part(term.type, depth), part(term.body, depth + 1))
    if isinstance(term, Let):
        return let(part(term.type, depth), part(term.value, depth), part(term.body, depth + 1))
    if isinstance(term, Proj):
        return proj(term.name, term.index, part(term.value, depth))
    return term


def instantiate(term: Term, values: Sequence[Term]) -> Term:
    """The term with its outermost binders' variables replaced by terms without loose variables, the innermost's by the last."""
    count = len(values)
    done: dict[tuple[Term, int], Term] = {}

    def go(term: Term, depth: int) -> Term:
        if term.loose <= depth:
            return term
        if term.__class__ is Var:
            index = term.index - depth
            return values[count - 1 - index] if index < count else var(index + depth - count)
        key = (term, depth)
        result = done.get(key)
        if result is None:
            result = done[key] = rebuild(term, go, depth)
        return result

    return go(term, 0) if count else term


def abstract(term: Term, variables: Sequence[Local]) -> Term:
    """The reverse: locals become variables of new outermost binders."""
    count = len(variables)
    places = {variable: count - 1 - i for i, variable in enumerate(variables)}
    lowest = min((variable.number for variable in variables), default=0)
    done: dict[tuple[Term, int], Term] = {}

    def go(term: Term, depth: int) -> Term:
        if term.fresh <= lowest:
            return term
        if term.__class__ is Local:
            place = places.get(term)
            return term if place is None else var(place + depth)
        key = (term, depth)
        result = done.get(key)
        if result is None:
            result = done[key] = rebuild(term, go, depth)
        return result

    return go(term, 0) if count else term


def close(binder: Callable[[Term, Term], Term], variables: Sequence[Local], body: Term) -> Term:
    """The function (`lam`) or function type (`pi`) over the locals."""
    body = abstract(body, variables)
    for i in reversed(range(len(variables))):
        body = binder(abstract(variables[i].type, variables[:i]), body)
    return body


def replace(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with the parts for which `change` gives something replaced by that, outermost first."""
    done: dict[Term, Term] = {}

    def go(term: Term, depth: int) -> Term:
        result = done.get(term)
        if result is None:
            changed = change(term)
            result = done[term] = rebuild(term, go, depth) if changed is None else changed
        return result

    return go(term, 0)


def at_levels(term: Term, names: tuple[str, ...], values: tuple[Level, ...]) -> Term:
    """The term with parameters of universes replaced."""

    def change(term: Term) -> Term | None:
        if not term.poly:
            return term
        if isinstance(term, Sort):
            return sort(levels.substitute(term.level, names, values))
        if isinstance(term, Const):
            return const(term.name, *(levels.substitute(level, names, values) for level in term.levels))
        return None

    return replace(term, change)


def parameters(*terms: Term) -> set[str]:
    """The parameters of universes that the terms mention."""
    found: set[str] = set()
    for term in subterms(*terms):
        if isinstance(term, Sort):
            found |= term.level.params
        elif isinstance(term, Const):
            found.update(*(level.params for level in term.levels))
    return found
