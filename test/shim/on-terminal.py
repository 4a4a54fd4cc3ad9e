"""Runs a command on a terminal of its own and talks to it; the tests' stand-in for a person.

argv[1]: JSON {"command": [...], "steps": [[WAIT_FOR, ACTION], ...], "seconds": N}. An action is text to type or
{"resize": [ROWS, COLUMNS]}. Prints JSON {"output": TEXT, "status": RETURN_CODE}; a negative code is a signal, null a hang.
"""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


def start(command):
    pid, fd = pty.fork()
    if pid == 0:
        try:
            resize(0, 33, 101)
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    return pid, fd


def act(fd, action):
    time.sleep(.15)  # the command has said what was waited for; let it get to its next step
    if isinstance(action, str):
        os.write(fd, action.encode())
    else:
        resize(fd, *action['resize'])


def talk(pid, fd, steps, end):
    output, seen = b'', 0
    while time.monotonic() < end:
        if select.select([fd], [], [], .05)[0]:
            try:
                chunk = os.read(fd, 65536)
            except OSError:  # Linux: the last process on the terminal has gone
                break
            if not chunk:
                break
            output += chunk
        if steps and steps[0][0].encode() in output[seen:]:
            word, action = steps.pop(0)
            seen = output.index(word.encode(), seen) + len(word)
            act(fd, action)
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) and not select.select([fd], [], [], .1)[0]:
            break
    return output


def status_of(pid, end):
    while time.monotonic() < end + 1:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        time.sleep(.01)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def main():
    asked = json.loads(sys.argv[1])
    end = time.monotonic() + asked.get('seconds', 20)
    pid, fd = start(asked['command'])
    output = talk(pid, fd, asked.get('steps', []), end)
    print(json.dumps({'output': output.decode('latin1'), 'status': status_of(pid, end)}))


main()
