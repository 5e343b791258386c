/** One field takes both: codes of an app are six digits, and no recovery code is. */
export const factorFrom = (code: string) =>
  /^\d{6}$/.test(code.replaceAll(/[\s-]/g, '')) ? { twoFactorCode: code } : { twoFactorRecoveryCode: code }
