/** Tenants may require a second factor; the date until which people go on without one is kept with the tenant. */
export const requiredSecondFactors = {
  name: '0042-required-second-factors',
  up: [`ALTER TABLE tenants ADD COLUMN secondFactorFrom INTEGER`],
}
