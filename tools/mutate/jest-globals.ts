/** What tests get as `@jest/globals` while mutants are tried. */
export { expect } from 'expect';
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, jest, test } from './test-collector.ts';
