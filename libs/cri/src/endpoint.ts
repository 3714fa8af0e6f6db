/** Where a runtime listens: a unix socket by its path, or on Windows a named pipe. */

const pipeStart = '\\\\.\\pipe\\';

/** `\\.\pipe\…`: no file that could be looked at. */
export const isNamedPipe = (endpoint: string): boolean => endpoint.startsWith(pipeStart);

/** As gRPC names it. */
export const targetOf = (endpoint: string): string => (isNamedPipe(endpoint) ? `unix:${endpoint}` : `unix://${endpoint}`);
