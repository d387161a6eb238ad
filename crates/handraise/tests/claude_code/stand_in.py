"""Stands in for Claude Code 2.1.332 where that is not installed, and is as it was seen: which hooks it calls with what, what it
writes down before it calls them, that it ends with `tool_deferred`, and what `--resume` does then.

The environment says which calls its model makes (CALLS, a JSON array of commands), and where the hook is (HOOK).
"""

import json
import os
import pathlib
import subprocess
import sys


def main():
    arguments = sys.argv[1:]
    if "--version" in arguments:
        print("2.1.332 (Claude Code)")
        return 0
    session, prompt, resumes = None, None, False
    while arguments:
        word = arguments.pop(0)
        if word in ("--session-id", "--resume"):
            session, resumes = arguments.pop(0), word == "--resume"
        elif word not in ("-p", "--"):
            prompt = word
    transcript = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "here", f"{session}.jsonl")
    calls = [{"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": command}}
             for n, command in enumerate(json.loads(os.environ["CALLS"]))]
    if not resumes:
        if transcript.exists():
            sys.exit(f"Session ID {session} is already in use")
        transcript.parent.mkdir(parents=True, exist_ok=True)
        lines = [{"type": "queue-operation", "operation": "enqueue", "content": prompt}]
        for call in calls:
            message = {"id": "msg_1", "content": [call], "stop_reason": "tool_use"}
            lines.append({"type": "assistant", "message": message})
        write(transcript, lines)
    else:
        lines = [json.loads(line) for line in transcript.read_text().splitlines()]
        if prompt is None and lines[-1]["type"] != "deferred":
            print("Error: No deferred tool marker found in the resumed session.", file=sys.stderr)
            return 1
        if prompt is not None:
            # What was put off is lost by a prompt.
            print(f"went on: {prompt}")
            return 0
        # All but the last are lost.
        calls = calls[-1:]
    deferred, said = None, []
    for call in calls:
        hooked = hook(session, transcript, "PreToolUse", call)
        answer = json.loads(hooked.stdout or "{}").get("hookSpecificOutput", {})
        decision = answer.get("permissionDecision")
        if hooked.returncode == 2 or decision == "deny":
            said.append("denied: " + answer.get("permissionDecisionReason", ""))
        elif decision == "defer":
            deferred = call
        else:
            # Without a clear answer it runs, too.
            subprocess.run(call["input"]["command"], shell=True, check=True, stdout=subprocess.DEVNULL)
            said.append("ran: " + answer.get("permissionDecisionReason", ""))
    if deferred:
        write(transcript, [{"type": "deferred"}])
        print(json.dumps({"stop_reason": "tool_deferred", "session_id": session}))
    else:
        write(transcript, [{"type": "result"}])
        print("\n".join(said))
    hook(session, transcript, "SessionEnd", None)
    return 0 if deferred or len(said) == len(calls) and not os.environ.get("FAILS") else 7


def hook(session, transcript, event, call):
    told = {"session_id": session, "transcript_path": str(transcript), "cwd": os.getcwd(), "hook_event_name": event}
    if call:
        told |= {"tool_name": call["name"], "tool_input": call["input"], "tool_use_id": call["id"]}
    command = os.environ["HOOK"]
    return subprocess.run(command, shell=True, input=json.dumps(told), capture_output=True, text=True)


def write(transcript, lines):
    with transcript.open("a") as file:
        file.write("".join(json.dumps(line) + "\n" for line in lines))


sys.exit(main())
