/**
 * Ensures that nothing outlives this process, even when it is killed by SIGKILL: a small shell whose input is a pipe from here. When the pipe closes
 * without the word `done`, it kills every process that was reported to it (by pid and start time) and removes the folder.
 */
import { spawn } from 'node:child_process';
import { type ProcessIdentity } from './process-identity.ts';

const script = `
start_of() {
  if [ -r "$PROC/self/stat" ]; then
    read -r line <"$PROC/$1/stat" 2>/dev/null || return
    set -- \${line##*) }
    echo "\${20}"
  else
    set -- $(LC_ALL=C ps -o lstart= -p "$1")
    echo "$1_$2_$3_$4_$5"
  fi
}
while read -r pid start; do
  [ "$pid" = done ] && exit 0
  list="$list $pid:$start"
done
for entry in $list; do
  pid=\${entry%%:*}
  [ "$(start_of "$pid")" = "\${entry#*:}" ] && kill -KILL "$pid" 2>/dev/null
done
sleep 0.2
[ -n "$FOLDER" ] && rm -rf -- "$FOLDER"
`;

export interface Watchdog {
  guard(process: ProcessIdentity): void;
  /** Reports that everything guarded has been stopped properly: the shell ends without doing anything. */
  dismiss(): void;
}

/**
 * Starts a watchdog.
 *
 * @param folder removed with everything in it when this process dies; '' keeps it
 * @param proc where the kernel describes processes; without that folder, `ps` is called
 */
export function startWatchdog(folder: string, proc = '/proc'): Watchdog {
  const shell = spawn('sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', FOLDER: folder, PROC: proc },
  });
  shell.unref();
  const input = shell.stdin as typeof shell.stdin & { unref(): void };
  input.unref();
  input.on('error', () => undefined); // the shell has ended already: nothing remains to guard with
  return {
    guard: ({ pid, startTime }) => void input.write(`${pid} ${startTime}\n`),
    dismiss: () => void input.end('done\n'),
  };
}
