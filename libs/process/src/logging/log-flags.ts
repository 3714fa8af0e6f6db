/** The log flags of every program: those with an effect, and klog's other ones, so that existing manifests start. @see spec/manager.md 2.2 */
import { seconds } from '@kruise/objects';
import { boolFlag, durationFlag, intFlag, stringFlag, type FlagDefinitions, type FlagValues } from '../flags/flag-set.ts';
import { parseVmodule } from './vmodule.ts';

/** klog's flags without an effect here, accepted so that existing manifests start. */
const acceptedLogFlags = {
  alsologtostderr: boolFlag(false, 'Accepted, without effect: logs always go to stderr.'),
  stderrthreshold: intFlag(2, 'Accepted, without effect: logs always go to stderr.'),
  log_dir: stringFlag('', 'Accepted, without effect: see --log_file.'),
  log_file_max_size: intFlag(1800, 'Accepted, without effect: rotation is left to the platform.'),
  one_output: boolFlag(false, 'Accepted, without effect.'),
  skip_log_headers: boolFlag(false, 'Accepted, without effect.'),
  add_dir_header: boolFlag(false, 'Accepted, without effect.'),
  log_backtrace_at: stringFlag(':0', 'Accepted, without effect.'),
  'log-flush-frequency': durationFlag(seconds(5), 'Accepted, without effect: lines are written immediately.'),
  'log-text-split-stream': boolFlag(false, 'Accepted, without effect.'),
  'log-text-info-buffer-size': stringFlag('0', 'Accepted, without effect.'),
  'log-json-split-stream': boolFlag(false, 'Accepted, without effect.'),
  'log-json-info-buffer-size': stringFlag('0', 'Accepted, without effect.'),
} as const;

function vmoduleMustBe(text: string): string | undefined {
  const parsed = parseVmodule(text);
  return parsed.kind === 'Failed' ? parsed.allowed : undefined;
}

/** The log flags for a program's flag definitions. {@link createLogger} and {@link logSink} use their values. */
export const logFlags = {
  v: intFlag(0, 'Log verbosity; 4 and more shows details.', { shorthand: 'v' }),
  vmodule: stringFlag('', 'PATTERN=N,...: verbosity of loggers by their name, where it is greater than --v.', { mustBe: vmoduleMustBe }),
  'logging-format': stringFlag('text', 'text or json.'),
  logtostderr: boolFlag(true, 'Log to stderr; false together with --log_file logs to that file only.'),
  log_file: stringFlag('', 'Additional file for the log.'),
  skip_headers: boolFlag(false, 'Leave out time, process id and place in text logs.'),
  ...acceptedLogFlags,
} as const satisfies FlagDefinitions;

/** The values of the log flags in `ParsedFlags`. */
export type LogFlags = FlagValues<typeof logFlags>;
