/** The endpoint of a runtime: a unix socket by its path, or on Windows a named pipe. */

const pipeStart = '\\\\.\\pipe\\';

/** Returns whether the endpoint is `\\.\pipe\…`, which is no file that can be checked. */
export const isNamedPipe = (endpoint: string): boolean => endpoint.startsWith(pipeStart);

/** Returns the target as gRPC names it. */
export const targetOf = (endpoint: string): string => (isNamedPipe(endpoint) ? `unix:${endpoint}` : `unix://${endpoint}`);
