const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;
/** A shorter value, such as `1` or `true`, is part of too many texts to be worth hiding. */
const shortest = 6;

/** What no message may repeat of an environment: the values of variables that are named like secrets. */
export const secretsOfEnvironment = (env: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(env).flatMap(([name, value = '']) =>
    secretName.test(name) && value.length >= shortest ? [value] : [],
  );
