import type { Logger } from '../logger.ts';

/** A logger that keeps what it is told instead of writing it. */
export interface SilentLogger extends Logger {
  readonly lines: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly fields: object; readonly message: string }[];
}

/** A logger for tests. `lines` holds what it was told, oldest first, its children's lines too. */
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
