/** Fakes of this library for tests of other projects: `@kruise/kube/testing`. Programs never import them. */
export { FakeClock } from './clock/fake-clock.ts';
export { FakeApi, isWrite } from './testing/fake-api.ts';
export type { FakeCall, FakeFaults, FakeWrite } from './testing/fake-api.ts';
export { failures as apiFailures } from './testing/fake-server.ts';
export { deathsAtEveryStep, deathTimes, Lifetime } from './testing/lifetime.ts';
export type { ConnectionFaults, Death } from './testing/lifetime.ts';
export { quietHour } from './testing/quiet-hour.ts';
export { silentLogger } from './testing/silent-logger.ts';
export type { SilentLogger } from './testing/silent-logger.ts';
export { Timeline } from './testing/timeline.ts';
export { storeOf } from './testing/store-of.ts';
export { ScriptedSource } from './testing/scripted-source.ts';
