/** Schemas of probes and hook handlers as in the core API, for kinds that have some of their own. */
import { int32, int64, intOrString, list, object, optional, string, type Infer, type Keywords } from './builder.ts';

const atomicList: Keywords = { 'x-kubernetes-list-type': 'atomic' };

const exec = (description: string) =>
  object(description, {
    command: optional(
      list('Program and arguments, run in the container without a shell. Exit code 0 means success.', string('One word.'), atomicList),
    ),
  });

const httpGet = (description: string) =>
  object(description, {
    host: optional(string('Host to connect to. Empty: the IP of the Pod.')),
    httpHeaders: optional(
      list(
        'Headers to send; a name may occur more than once.',
        object('One header of the request.', { name: string('Name of the header.'), value: string('Value of the header.') }),
        atomicList,
      ),
    ),
    path: optional(string('Path of the request.')),
    port: intOrString('Port to connect to: a number from 1 to 65535, or the name of a port of the container.'),
    scheme: optional(string('HTTP or HTTPS. Certificates are not checked.')),
  });

const tcpSocket = (description: string) =>
  object(description, {
    host: optional(string('Host to connect to. Empty: the IP of the Pod.')),
    port: intOrString('Port to connect to: a number from 1 to 65535, or the name of a port of the container.'),
  });

/** What runs before a container is stopped: one of `exec`, `httpGet`, `tcpSocket`. */
export const hookHandler = (description: string) =>
  object(description, {
    exec: optional(exec('Runs a command in the container.')),
    httpGet: optional(httpGet('Sends an HTTP request.')),
    tcpSocket: optional(tcpSocket('Opens a TCP connection.')),
  });

/** A probe that the daemon runs: one of `exec`, `httpGet`, `tcpSocket`; times are in seconds. */
export const containerProbe = (description: string) =>
  object(description, {
    exec: optional(exec('Runs a command in the container; exit code 0 is success.')),
    failureThreshold: optional(
      int32('Number of consecutive failures after which the state becomes Failed. Default 1, also for anything below 1.'),
    ),
    grpc: optional(
      object('Not supported: a probe with this handler alone is refused.', {
        port: int32('Port of the gRPC service, 1 to 65535.'),
        service: optional(string('Name of the service to check.', { default: '' })),
      }),
    ),
    httpGet: optional(httpGet('Sends an HTTP GET; a status from 200 to 399 is success. The host must be empty.')),
    initialDelaySeconds: optional(
      int32('Seconds after the start of the container until the first probe. Default 1, also for anything below 1.'),
    ),
    periodSeconds: optional(int32('Seconds from one probe to the next. Default 1, also for anything below 1.')),
    successThreshold: optional(
      int32('Number of consecutive successes after which the state becomes Succeeded. Default 1, also for anything below 1.'),
    ),
    tcpSocket: optional(tcpSocket('Opens a TCP connection; an accepted one is success. The host must be empty.')),
    terminationGracePeriodSeconds: optional(int64('Ignored: these probes never stop a container.')),
    timeoutSeconds: optional(int32('Seconds after which a probe times out and has failed. Default 1, also for anything below 1.')),
  });
/** A probe of a container with its timing; times are in seconds. */
export type ContainerProbe = Infer<ReturnType<typeof containerProbe>>;
