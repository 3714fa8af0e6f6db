import type { Logger } from '../logger.ts';

/** A logger that keeps its lines instead of writing them. */
export interface SilentLogger extends Logger {
  readonly lines: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly fields: object; readonly message: string }[];
}

/** Returns a logger for tests. `lines` contains its lines and those of its children, oldest first. */
export function silentLogger(bound: object = {}, lines: SilentLogger['lines'] = []): SilentLogger {
  const at = (level: SilentLogger['lines'][number]['level']) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...bound, ...fields }, message });
  return {
    lines,
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: (fields) => silentLogger({ ...bound, ...fields }, lines),
  };
}
