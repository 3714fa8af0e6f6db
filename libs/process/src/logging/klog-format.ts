/**
 * klog's text format: `Lmmdd hh:mm:ss.uuuuuu <pid> file:line] "message" key="value"`.
 * @see spec/manager.md 5.10
 */
import { stringifyLossless } from '@kruise/objects';

export type Severity = 'I' | 'W' | 'E' | 'F';

export interface Header {
  readonly severity: Severity;
  readonly at: Date;
  readonly pid: number;
  /** `file.ts:line` of the call. */
  readonly caller: string;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Returns the header: local time, microseconds padded from milliseconds, the process id right-aligned to seven characters; it ends in `] `. */
export function formatHeader({ severity, at, pid, caller }: Header): string {
  const date = `${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}000`;
  return `${severity}${date} ${time} ${String(pid).padStart(7)} ${caller}] `;
}

/** Returns whether a value has a name and perhaps a namespace: printed as `"ns/name"` in text and as an object in JSON. */
const isReference = (value: object): value is { namespace?: string; name: string } =>
  'name' in value && typeof value.name === 'string' && Object.keys(value).every((key) => key === 'name' || key === 'namespace');

function formatText(text: string): string {
  if (!text.includes('\n')) return JSON.stringify(text);
  const lines = text.replace(/\n$/, '').split('\n');
  return `<\n${lines.map((line) => `\t${line}`).join('\n')}\n >`;
}

/**
 * Returns a value as text: strings quoted, several lines indented between `<` and ` >`, numbers and booleans bare, errors by their message, other
 * objects as JSON.
 */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return formatText(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value === null || value === undefined) return '<nil>';
  if (value instanceof Error) return formatText(value.message);
  if (typeof value === 'object' && isReference(value))
    return JSON.stringify(value.namespace ? `${value.namespace}/${value.name}` : value.name);
  return typeof value === 'object' ? stringifyLossless(value) : formatText(typeof value);
}

/** Returns the quoted message and ` key=value` for each field. A field `err` or `error` is printed as `err`. */
export function formatMessage(message: string, fields: Readonly<Record<string, unknown>>): string {
  let line = JSON.stringify(message);
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) line += ` ${key === 'error' ? 'err' : key}=${formatValue(value)}`;
  return line;
}
