import { Group } from '@mantine/core'
import { NavLink } from 'react-router'
import classes from './page-tabs.module.css'

interface PageTabsProps {
  label: string
  tabs: readonly { path: string; label: string }[]
}

/** Links between the parts of a page, each with an address of its own. */
export const PageTabs = ({ label, tabs }: PageTabsProps) => (
  <Group align="stretch" component="nav" gap="4px 20px" px="var(--page-side)" pb={8} aria-label={label}>
    {tabs.map((tab) => (
      <NavLink key={tab.path} to={tab.path} end className={classes.tab!}>
        {tab.label}
      </NavLink>
    ))}
  </Group>
)
