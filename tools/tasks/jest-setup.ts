/**
 * A test that expects nothing fails: it would pass whatever happened. What a helper waits for and throws over is no expectation; the test says
 * what the world looks like once the wait is over.
 */
import { beforeEach, expect } from '@jest/globals';
import { unequalLists } from './equal-lists.ts';

expect.addEqualityTesters([unequalLists]);

beforeEach(() => expect.hasAssertions());
