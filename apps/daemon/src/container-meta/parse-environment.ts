/** Parses the environment of a container from the answer of a runtime or of `env`. Pure. @see spec/daemon.md 5.6 */
import { isJsonObject, memberAt, parseJsonText, type JsonObject } from '@kruise/objects';

export type Environment = ReadonlyMap<string, string>;

function assignmentsOf(lines: readonly string[]): [string, string][] {
  return lines.flatMap((line) => {
    const equals = line.indexOf('=');
    return equals <= 0 ? [] : [[line.slice(0, equals), line.slice(equals + 1)] satisfies [string, string]];
  });
}

const pairOf = ({ key, value }: JsonObject): [string, string][] =>
  typeof key === 'string' ? [[key, typeof value === 'string' ? value : '']] : [];

/**
 * Parses a verbose container status, whose `info` entry is JSON: the kubelet's request (`config.envs`) takes precedence over the environment of the
 * process (`runtimeSpec.process.env`, the image's variables included).
 *
 * @returns undefined when it contains no environment
 */
export function parseVerboseEnvironment(info: Readonly<Record<string, string>>): Environment | undefined {
  let parsed: unknown;
  try {
    parsed = parseJsonText(info['info'] ?? '');
  } catch {
    return undefined;
  }
  const asked = memberAt(parsed, 'config', 'envs');
  const given = memberAt(parsed, 'runtimeSpec', 'process', 'env');
  if (!Array.isArray(asked) && !Array.isArray(given)) return undefined;
  const lines = Array.isArray(given) ? given.filter((line) => typeof line === 'string') : [];
  const pairs = Array.isArray(asked) ? asked.filter(isJsonObject).flatMap(pairOf) : [];
  return new Map([...assignmentsOf(lines), ...pairs]);
}

const startOfAssignment = /^[A-Za-z_][A-Za-z0-9_.-]*=/;

/** Parses the output of `env`: a line that starts no assignment continues the previous value. */
export function parseEnvOutput(text: string): Environment {
  const lines: string[] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const last = lines.length - 1;
    if (last < 0 || startOfAssignment.test(line)) lines.push(line);
    else lines[last] = `${lines[last]}\n${line}`;
  }
  return new Map(assignmentsOf(lines));
}
