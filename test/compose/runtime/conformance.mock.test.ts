/** The conformance suite over the mock, with time as it is. */
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { mockBackend } from '../../../src/compose/runtime/mock/mock.js';
import { mockPrograms } from './programs.js';
import { wholeConformance } from './suite/all.js';

const image = 'localhost/plumbline-test:mock';
const { backend } = mockBackend({
  clock: systemClock,
  images: [image],
  programs: mockPrograms,
  pullable: (reference) => !reference.startsWith('localhost:1/'),
});

wholeConformance({ name: 'mock', backend, image, labels: { 'plumbline.test': 'mock' }, real: false });
