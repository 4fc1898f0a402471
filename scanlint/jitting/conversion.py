"""One function made to run under `jax.jit`: its text rewritten and jitted, and compared with what it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from scanlint.engine.directives import given_inputs
from scanlint.engine.session import Session, in_project
from scanlint.errors import UsageError
from scanlint.finding import Finding, Position, Verification
from scanlint.fix.fixer import Fixer
from scanlint.fix.program_calls import ProgramCalls
from scanlint.jitting.once_only import once_only
from scanlint.jitting.prints import with_debug_prints
from scanlint.jitting.site import JitSite, jitted
from scanlint.jitting.targets import Function, JitTarget, found, functions
from scanlint.project.files import SourceFile, decode, read, shown
from scanlint.project.patterns import configured_inputs
from scanlint.project.summary import ModuleNames
from scanlint.record.recordings import recorded
from scanlint.settings import Settings
from scanlint.syntax.edits import earlier_line
from scanlint.verify.interpreter import find_interpreter
from scanlint.verify.verifier import Task, Verifier

GOOD = ("proved", "tested")


@dataclass(frozen=True)
class Conversion:
    """What became of one function.

    `after` is the text of the file with the function converted; `found` what was found in it and in the functions that
    it calls once it was jitted, with places in the text as it was. `obstacles` say what keeps it from being jitted, in
    the order in which it stands in the file, each with its line.
    """

    target: JitTarget
    file: SourceFile
    after: str
    static: tuple[str, ...] = ()
    found: tuple[Finding, ...] = ()
    obstacles: tuple[str, ...] = ()
    verification: Verification | None = None
    known: bool = False

    @property
    def good(self) -> bool:
        """The converted text does the same as the old one, and may be written.

        Versions are compared without assertions where these keep them from being traced: such a text is not jitted yet.
        """
        held = bool(self.obstacles) or any(finding.name == "traced-assert" for finding in self.left)
        return self.verification is not None and self.verification.verdict in GOOD and not held

    @property
    def left(self) -> tuple[Finding, ...]:
        """What was found and is still there."""
        return tuple(finding for finding in self.found if finding.fix.status != "applied")


def source(path: Path) -> SourceFile:
    """A file as it stands. Raises UsageError where it cannot be read, or is not Python."""
    file = read(path)
    if not isinstance(file, SourceFile):
        raise UsageError(f"{file.display}:{file.line}: {file.message}")
    try:
        ast.parse(file.text)
    except SyntaxError as error:
        raise UsageError(f"{file.display}:{error.lineno}: {error.msg}") from None
    return file


def convert(
    wanted: JitTarget,
    settings: Settings,
    progress: Callable[[str], None],
    *,
    callees: bool,
    verify: bool = True,
    text: SourceFile | None = None,
) -> Conversion:
    """Convert one function of a file, or of a text in its place.

    Raises UsageError where there is none of the name, or nothing can be verified here.
    """
    file = text or source(wanted.file)
    tree = ast.parse(file.text)
    function, _ = found(tree, wanted)
    reached = _reached(tree, function)
    printing = with_debug_prints(file.text, [function, *(reached.values() if callees else ())])
    site = jitted(printing, *found(ast.parse(printing), wanted))
    if site.known:
        site, printing = site._replace(text=file.text), file.text
    if site.obstacle:
        return Conversion(wanted, file, file.text, obstacles=(f"`{wanted.qualname}` {site.obstacle}",))
    names = {str(wanted.qualname), *(reached if callees else ())}
    line = earlier_line(file.text, printing)
    told = dict.fromkeys(_once(printing, wanted) if not site.known else ())
    once = tuple(f"{file.display}:{line(at)}: {text}" for at, text in told)
    told_so = replace(settings, cache=False, asked=frozenset([str(wanted.qualname)]))
    after, findings = _rewritten(file, site, names, told_so, progress if verify and not once else None)
    static = _static(after, wanted) or site.static
    made = Conversion(wanted, file, after, static, findings, once, known=site.known and after == file.text)
    if not verify or made.known or once:
        return made
    progress(f"verifying {wanted}")
    return replace(made, verification=_verdict(made, settings))


def _once(text: str, wanted: JitTarget) -> Iterator[tuple[int, str]]:
    """What a function and all that it reaches do once, when it is traced."""
    tree = ast.parse(text)
    function, _ = found(tree, wanted)
    return once_only(tree, [function, *_reached(tree, function).values()])


def candidates(path: Path, settings: Settings) -> list[Conversion]:
    """The functions of a file that run JAX in loops or branches and are not jitted, those first that gain most.

    Each is looked at as if it were jitted; nothing is run.
    """
    file = source(path)
    tree = ast.parse(file.text)
    made = [
        convert(JitTarget(path, qualname), settings, lambda text: None, callees=False, verify=False)
        for qualname, function, _ in functions(tree)
        if _steers(function)
    ]
    gaining = [conversion for conversion in made if conversion.found and not conversion.known]
    return sorted(gaining, key=lambda c: (bool(c.obstacles), -sum(f.fix.status == "available" for f in c.found)))


def _steers(function: Function) -> bool:
    """Whether there is a loop or a branch in a function."""
    return any(isinstance(n, ast.For | ast.While | ast.If | ast.IfExp | ast.ListComp) for n in ast.walk(function))


def _rewritten(
    file: SourceFile, site: JitSite, names: set[str], settings: Settings, progress: Callable[[str], None] | None
) -> tuple[str, tuple[Finding, ...]]:
    """The text with what verifies of the rewrites in these functions, and all that is found in them.

    Without `progress` nothing is rewritten.
    """
    changed = decode(file.encode(site.text), file.path)
    with Session(settings) as session:
        session.load_text(changed, in_project(file.path, settings))
        mine = session.found.get(file.display, [])
        session.found = {file.display: [entry for entry in mine if _within(entry.finding.function, names)]}
        if progress is not None:
            with Fixer(session, progress) as fixer:
                fixer.fix_all()
        text = decode(session.changes[file.path][1], file.path) if file.path in session.changes else changed
        line = earlier_line(file.text, site.text)
        listed = tuple(_placed(entry.finding, line) for entry in session.found.get(file.display, []))
    return (text.text if isinstance(text, SourceFile) else site.text), listed


def _static(text: str, wanted: JitTarget) -> tuple[str, ...]:
    """The static parameters of the function in a text, those that were found while it was rewritten among them."""
    function, _ = found(ast.parse(text), wanted)
    parameters = [a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)]
    options = [k.value for d in function.decorator_list if isinstance(d, ast.Call) for k in d.keywords if k.arg]
    named = {n.value for o in options for n in ast.walk(o) if isinstance(n, ast.Constant)}
    placed = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    named |= {placed[n] for n in named if type(n) is int and n < len(placed)}
    return tuple(name for name in parameters if name in named)


def _within(function: str | None, names: set[str]) -> bool:
    return function is not None and any(function == name or function.startswith(f"{name}.") for name in names)


def _placed(finding: Finding, line: Callable[[int], int]) -> Finding:
    """A finding with its places in the text without the decorator."""
    start, end = (Position(line(at.line), at.column) for at in (finding.start, finding.end))
    return replace(finding, start=start, end=end)


def _verdict(made: Conversion, settings: Settings) -> Verification:
    """The old version run line by line against the new one as it is called, also on what callers elsewhere pass."""
    file, name = made.file, str(made.target.qualname)
    task = Task(
        path=file.display,
        function=name,
        old=file.text,
        new=made.after,
        root=str(settings.root),
        file=str(file.path.absolute()),
        given=_given(file, name, settings),
        static=frozenset(made.static),
        traced=False,
        recorded=recorded(settings.root, file.path, name),
    )
    python = find_interpreter(settings.python, settings.root)
    passed = settings.verify_environment
    with Verifier(python, timeout=settings.verify_timeout, measure=settings.measure, passed=passed) as verifier:
        verdict = verifier.verify(task)
        if verdict.inputs == "synthesised" and verdict.verdict != "refuted":
            with closing(ProgramCalls.run(verifier, settings.root, [(file.path, {name})])) as calls:
                harvested = calls.of(file.path, name)
                again = verifier.verify(replace(task, harvested=harvested, asked="called")) if harvested else verdict
            return again if again.verdict == "refuted" or verdict.verdict == "unknown" else verdict
    return verdict


def _given(file: SourceFile, name: str, settings: Settings) -> tuple[tuple[str, str], ...]:
    """What the user says about the inputs, and where: in comments above the function, or in the configuration."""
    known = {qualname: node.lineno for qualname, node, _ in functions(ast.parse(file.text))}
    comments = given_inputs(file.text).get(known[name], ())
    if comments:
        return tuple((given.text, f"{file.display}:{given.line}") for given in comments)
    return configured_inputs(settings, file.path, file.display, ModuleNames().wanted(file.path)[0], name)


def _reached(tree: ast.Module, function: Function) -> dict[str, Function]:
    """The functions of the module that a function reaches by name, and the methods by `self`."""
    known = {qualname: node for qualname, node, _ in functions(tree)}
    methods: dict[str, list[str]] = {}
    for qualname in known:
        methods.setdefault(qualname.rpartition(".")[2], []).append(qualname)
    left, seen = [function], dict[str, Function]()
    while left:
        for node in ast.walk(left.pop()):
            match node:
                case ast.Name(id=name) if name in known:
                    reached = [name]
                case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                    reached = methods.get(name, [])
                case _:
                    continue
            for name in (n for n in reached if n not in seen and known[n] is not function):
                seen[name] = known[name]
                left.append(known[name])
    return seen


def written(conversion: Conversion) -> tuple[str, bytes, bytes]:
    """The path of the file as it is shown, and its bytes before and after."""
    file = conversion.file
    return shown(file.path), file.data, file.encode(conversion.after)
