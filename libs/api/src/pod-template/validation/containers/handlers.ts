/** What the kubelet runs in a container: probes and lifecycle hooks. */
import { fieldInvalid, isUnset, numberAt } from '@kruise/objects';
import {
  anyText,
  atLeast,
  exactlyOne,
  int64,
  objectOf,
  objectsOf,
  oneOf,
  required,
  requiredList,
  textBy,
  textList,
  withRule,
  type Check,
  type Rule,
} from '../checks/check.ts';
import { portNumber, portReference } from './ports.ts';
import { headerName } from '../checks/texts.ts';

/** Checks the port of an action. Its absence is a fault of the action, so a rule checks it. */
const hasPort =
  (check: Check): Rule =>
  (action, path, run) =>
    check(action['port'], `${path}.port`, run);

const header = objectOf({ name: textBy(headerName), value: anyText }, required('name'));

export const exec = objectOf({ command: textList }, requiredList('command'));
export const httpGet = objectOf(
  { path: anyText, host: anyText, scheme: oneOf('HTTP', 'HTTPS'), httpHeaders: objectsOf(header) },
  hasPort(portReference),
);
export const tcpSocket = objectOf({ host: anyText }, hasPort(portReference));
const grpc = objectOf({ service: anyText }, hasPort(portNumber));

/** Sleeping must end within the grace period for stopping. */
const sleepFits: Rule = (sleep, path, { faults, kubernetes, pod }) => {
  const grace = pod.terminationGraceSeconds ?? 30;
  const seconds = numberAt(sleep, 'seconds') ?? 0;
  if (seconds === 0 && kubernetes < 33) faults.push(fieldInvalid(path, 0, 'must be greater than 0 before Kubernetes 1.33'));
  if (seconds < 0 || seconds > grace)
    faults.push(fieldInvalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${String(grace)})`));
};
const sleep = objectOf({ seconds: int64 }, sleepFits);

const probeActions: Readonly<Record<string, Check>> = { exec, httpGet, tcpSocket, grpc };
const hookActions: Readonly<Record<string, Check>> = { exec, httpGet, tcpSocket, sleep };
export const oneHandler = (actions: Readonly<Record<string, Check>>): Rule =>
  exactlyOne(Object.keys(actions), 'must specify a handler type', 'may not specify more than 1 handler type');

const hook = objectOf(hookActions, oneHandler(hookActions));
/** `stopSignal` requires the operating system; the kubelet defines which signals exist. */
export const lifecycle = objectOf({ postStart: hook, preStop: hook, stopSignal: anyText });

const count = atLeast(0);
export const probeNumbers: Readonly<Record<string, Check>> = {
  initialDelaySeconds: count,
  timeoutSeconds: count,
  periodSeconds: count,
  successThreshold: count,
  failureThreshold: count,
};
const probe = objectOf({ ...probeActions, ...probeNumbers, terminationGracePeriodSeconds: int64 }, oneHandler(probeActions));

const succeedsOnce: Rule = (object, path, { faults }) => {
  const threshold = numberAt(object, 'successThreshold') ?? 1;
  if (threshold !== 1) faults.push(fieldInvalid(`${path}.successThreshold`, threshold, 'must be 1'));
};

/** These probes stop the container, so they may shorten the grace period. */
const positiveGrace: Rule = (object, path, { faults }) => {
  const seconds = numberAt(object, 'terminationGracePeriodSeconds');
  if (seconds !== undefined && seconds <= 0)
    faults.push(fieldInvalid(`${path}.terminationGracePeriodSeconds`, seconds, 'must be greater than 0'));
};

const noGrace: Rule = (object, path, { faults }) => {
  const value = object['terminationGracePeriodSeconds'];
  if (!isUnset(value)) faults.push(fieldInvalid(`${path}.terminationGracePeriodSeconds`, value, 'must not be set for readinessProbes'));
};

/** Liveness and startup: they stop the container. */
export const stoppingProbe = withRule(withRule(probe, succeedsOnce), positiveGrace);
export const readinessProbe = withRule(probe, noGrace);
