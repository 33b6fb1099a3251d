"""Manifests in XML: what a Maven build and an MSBuild project ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.config.entries import Dependency, Entry, Fault, Scope, declaration, dependency
from t2c.ledger.intake.config.references import safe_constraint
from t2c.ledger.intake.reports.xml_stream import Element, read_xml

__all__ = ["maven", "msbuild"]

_COORDINATES: Final = frozenset({"groupId", "artifactId", "version", "scope", "optional", "classifier"})
_HOLDERS: Final = frozenset({"dependency", "plugin", "parent", "extension"})
_SCOPES: Final[Mapping[str, Scope]] = {
    "test": "dev",
    "provided": "build",
    "import": "build",
    "system": "build",
}


class _Maven:
    """The elements of one pom.xml; `names` is the path to the element that is open."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.held: list[dict[str, str]] = []
        self.found: list[Draft] = []

    def opened(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        self.names.append(tag)
        if tag in _HOLDERS:
            self.held.append({})

    def closed(self, element: Element) -> None:
        self.names.pop()
        around = self.names[-1] if self.names else ""
        if element.tag in _COORDINATES and around in _HOLDERS:
            self.held[-1][element.tag] = element.text.strip()
        elif element.tag in _HOLDERS:
            self._holder(element, self.held.pop())
        elif around == "properties" and self.names[:1] == ["project"]:
            key = (*(name for name in self.names[1:] if name != "profiles"), element.tag)
            entry = Entry(key, element.start, element.end, "text")
            self.found.append(declaration(entry, "xml", "maven_element"))
        elif around in ("modules", "subprojects") and element.text.strip():
            name = element.text.strip()[:200]
            entry = Entry(("modules", name), element.start, element.end, "text")
            self.found.append(declaration(entry, "xml", "maven_element"))

    def _holder(self, element: Element, told: dict[str, str]) -> None:
        artifact = told.get("artifactId")
        if not artifact:
            return
        group = told.get("groupId") or ("org.apache.maven.plugins" if element.tag == "plugin" else "")
        scope: Scope = "build"
        if element.tag == "dependency" and "plugin" not in self.names:
            scope = _SCOPES.get(told.get("scope", ""), "runtime")
            if told.get("optional") == "true":
                scope = "optional"
        extra: dict[str, Any] = {"classifier": told["classifier"][:100]} if told.get("classifier") else {}
        place = [
            name
            for name in self.names
            if name in ("profile", "dependencyManagement", "pluginManagement", "plugin")
        ]
        self.found.append(
            dependency(
                Dependency(
                    ecosystem="maven",
                    name=f"{group}:{artifact}"[:200] if group else artifact[:200],
                    constraint=safe_constraint(told.get("version")),
                    scope=scope,
                    group=".".join([*place, element.tag]),
                    start=element.start,
                    end=element.end,
                    basis="maven_element",
                    extra=extra,
                )
            )
        )


def maven(content: bytes) -> list[Draft] | Fault:
    """pom.xml: dependencies, plugins and parent, with properties and modules by name."""
    read = _Maven()
    fault = read_xml(content, read.opened, read.closed)
    return _fault(fault.what, fault.line, fault.column, fault.reason) if fault else read.found


def _fault(what: str, line: int | None, column: int | None, reason: str) -> Fault:
    return Fault(what, line, column, "configuration_unparsed" if reason == "xml_unparsed" else reason)


_REFERENCES: Final = {
    "PackageReference": "nuget", "PackageVersion": "nuget", "ProjectReference": "msbuild-project",
    "FrameworkReference": "dotnet-framework",
}  # fmt: skip


def msbuild(content: bytes) -> list[Draft] | Fault:
    """*.csproj and its kin: package and project references, properties by name."""
    found: list[Draft] = []
    names: list[str] = []
    versions: list[str | None] = []

    def opened(tag: str, attributes: Mapping[str, str], line: int) -> None:
        names.append(tag)
        if tag in _REFERENCES:
            versions.append(None)

    def closed(element: Element) -> None:
        names.pop()
        around = names[-1] if names else ""
        if element.tag == "Version" and around in _REFERENCES:
            versions[-1] = element.text.strip()
        elif element.tag in _REFERENCES:
            version = (
                versions.pop()
                or element.attributes.get("Version")
                or element.attributes.get("VersionOverride")
            )
            name = (element.attributes.get("Include") or element.attributes.get("Update") or "").strip()
            if name:
                private = element.attributes.get("PrivateAssets", "").lower() == "all"
                found.append(_reference(element, name.replace("\\", "/"), version, private))
        elif around == "PropertyGroup":
            entry = Entry(("PropertyGroup", element.tag), element.start, element.end, "text")
            found.append(declaration(entry, "xml", "msbuild_element"))

    fault = read_xml(content, opened, closed)
    return _fault(fault.what, fault.line, fault.column, fault.reason) if fault else found


def _reference(element: Element, name: str, version: str | None, private: bool) -> Draft:
    return dependency(
        Dependency(
            ecosystem=_REFERENCES[element.tag],
            name=name[:200],
            constraint=safe_constraint(version),
            scope="build" if private else "runtime",
            group=element.tag,
            start=element.start,
            end=element.end,
            basis="msbuild_element",
        )
    )
