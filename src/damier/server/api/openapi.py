"""What Litestar's OpenAPI document does not say by itself: the exact shape of what is sent, and answers in PDN."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from litestar.openapi.spec import Components, OpenAPIMediaType, OpenAPIResponse, Operation, Schema, SecurityScheme
from litestar.openapi.spec.enums import OpenAPIType
from litestar.plugins import OpenAPISchemaPlugin

if TYPE_CHECKING:
    from litestar._openapi.schema_generation import SchemaCreator
    from litestar.typing import FieldDefinition

PDN: Final = "application/x-pdn"

COMPONENTS: Final = Components(
    security_schemes={
        "token": SecurityScheme(
            type="http", scheme="bearer", description="A personal access token (`dmr_…`), made at /account/tokens."
        )
    }
)


class ExactBodies(OpenAPISchemaPlugin):
    """Describes the structs that forbid unknown fields, which are what is sent, as msgspec checks them."""

    def is_plugin_supported_field(self, field_definition: FieldDefinition) -> bool:
        """Whether a field is such a struct."""
        return (
            not field_definition.is_union
            and field_definition.is_subclass_of(msgspec.Struct)
            and field_definition.annotation.__struct_config__.forbid_unknown_fields
        )

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: SchemaCreator) -> Schema:
        """The struct's JSON Schema. It has no other structs inside."""
        title = field_definition.annotation.__name__
        described = _schema(msgspec.json.schema(field_definition.annotation)["$defs"][title])
        schema = schema_creator.create_component_schema(
            field_definition, required=list(described.required or ()), property_fields={}, title=title
        )
        schema.properties = described.properties
        schema.description = described.description
        schema.additional_properties = False
        return schema


def _schema(data: dict[str, Any]) -> Schema:
    """JSON Schema as Litestar has it.

    >>> _schema({"type": "array", "maxItems": 2, "items": {"type": "integer"}}).max_items
    2
    """
    fields: dict[str, Any] = {}
    for name, value in data.items():
        match name:
            case "properties":
                made: Any = {each: _schema(part) for each, part in value.items()}
            case "anyOf":
                made = [_schema(part) for part in value]
            case "items":
                made = _schema(value)
            case _:
                made = value
        fields[re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)] = made
    return Schema(**fields)


@dataclass
class PdnOperation(Operation):
    """An operation that answers with PDN."""

    def __post_init__(self) -> None:
        _content(self).clear()
        _content(self)[PDN] = _pdn()


@dataclass
class GameOperation(Operation):
    """An operation that answers with JSON or with PDN."""

    def __post_init__(self) -> None:
        _content(self)[PDN] = _pdn()


def _content(operation: Operation) -> dict[str, OpenAPIMediaType]:
    """What an operation answers with when it succeeds, by media type."""
    success = (operation.responses or {})["200"]
    if not isinstance(success, OpenAPIResponse) or success.content is None:
        raise TypeError(f"{operation.operation_id} answers with nothing")
    return success.content


def _pdn() -> OpenAPIMediaType:
    return OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING))
