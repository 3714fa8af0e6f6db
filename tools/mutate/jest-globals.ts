/** What tests get as `@jest/globals` while mutants are tried. */
import { expect } from 'expect';
import { unequalLists } from '../tasks/jest/equal-lists.ts';

expect.addEqualityTesters([unequalLists]);

export { expect };
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, jest, test } from './test-collector.ts';
