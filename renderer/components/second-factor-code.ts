/** Sorts the input of a shared field: six digits are a TOTP code, anything else is a recovery code. */
export const secondFactorCode = (code: string) =>
  /^\d{6}$/.test(code.replaceAll(/[\s-]/g, '')) ? { twoFactorCode: code } : { twoFactorRecoveryCode: code }
