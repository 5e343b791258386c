import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { queries } from '../api/queries.ts'
import * as t from '../texts.ts'
import { calendarDay } from '../text/format.ts'
import classes from './notices.module.css'

/** Announces the date from which the person needs a second factor, until one is set up. */
export function SecondFactorLine() {
  const { pathname } = useLocation()
  const missing = useQuery(queries.session).data?.missingSecondFactor
  if (!missing || pathname === '/account') {
    return null
  }
  return (
    <section className={classes.notices} aria-label={t.secondFactor.title}>
      <ul>
        <li>{t.secondFactor.announced(calendarDay(Date.parse(missing.requiredFrom)))}</li>
      </ul>
      <Button component={Link} to="/account#two-factor" size="xs">
        {t.secondFactor.setUp}
      </Button>
    </section>
  )
}
