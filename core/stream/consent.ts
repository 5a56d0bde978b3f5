import type { Config } from '../../config/config.ts'

/** Whether weights may learn from what is said on a platform, as far as that is up to the operator. */
export function mayTrain({ discord }: Pick<Config, 'discord'>, platform: string): boolean {
  return platform !== 'discord' || discord.trainingPermission
}

/** Said where they may not. */
export const NO_TRAINING =
  'Weights do not learn here: Discord has to permit that, and the operator has not said that it does (docs/privacy.md). Your wishes are kept as notes.'
