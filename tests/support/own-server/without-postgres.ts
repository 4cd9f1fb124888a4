/** Whether tests over Postgres are left out, which `npm test` says (`--without-postgres`). */
export const withoutPostgres = process.env['TURNWISE_TESTS_WITHOUT_POSTGRES'] === '1';
