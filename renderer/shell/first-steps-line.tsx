import { Button, Group } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import { useFirstSteps } from '../hooks/use-first-steps.ts'
import * as t from '../texts.ts'
import classes from './notices.module.css'

/** Leads back to the first steps, until they are finished or skipped. */
export function FirstStepsLine() {
  const { pathname } = useLocation()
  const { steps, at, goTo } = useFirstSteps()
  if (at === undefined || pathname === '/first-steps') {
    return null
  }
  return (
    <section className={classes.notices} aria-label={t.firstSteps.title}>
      <ul>
        <li>{t.firstSteps.reminder(at + 1, steps.length)}</li>
      </ul>
      <Group gap="xs">
        <Button component={Link} to="/first-steps" size="xs">
          {t.firstSteps.goOn}
        </Button>
        <Button variant="default" size="xs" onClick={() => void goTo(undefined)}>
          {t.firstSteps.end}
        </Button>
      </Group>
    </section>
  )
}
