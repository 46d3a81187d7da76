"""YAML that people write, read strictly: a repeated key, a key that is not a name, and an alias are errors."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent
from yaml.nodes import MappingNode, Node

from burnqed.errors import BadInput


class _Strict(yaml.SafeLoader):
    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        if self.check_event(AliasEvent):  # type: ignore[no-untyped-call]
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ComposerError(None, None, "an alias (`*`) stands for a value; write the value", mark)
        return super().compose_node(parent, index)  # type: ignore[no-untyped-call,no-any-return]

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = self.construct_object(key, deep=True)  # type: ignore[no-untyped-call]
            if not isinstance(name, str):
                raise ConstructorError(None, None, f"the key {name!r} is not a name", key.start_mark)
            if name in seen:
                raise ConstructorError(None, None, f"the key {name!r} is given twice", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str, where: str) -> Any:
    """The value of a text; None for an empty one. Raises BadInput, naming the place, for anything but strict YAML."""
    try:
        return yaml.load(text, _Strict)
    except yaml.YAMLError as error:
        raise BadInput(f"{where} is not valid YAML: {' '.join(str(error).split())}; fix it.") from None
    except RecursionError:
        raise BadInput(f"{where} is nested too deeply; fix it.") from None
