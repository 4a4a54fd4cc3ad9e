/** Whether to take every case instead of a sample: `npm run test:structural` does. */
export const everyCase = process.env['STRUCTURAL_TESTS'] === 'all';
