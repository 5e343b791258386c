/** Node strips types in place, so positions are right without source maps; reading them for each Sequelize query takes 5 % of the processor time. */
process.setSourceMapsEnabled(false)
