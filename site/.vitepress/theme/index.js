import DefaultTheme from 'vitepress/theme'
import Automaton from './Automaton.vue'
import Gallery from './Gallery.vue'
import './style.css'
import { withBase } from 'vitepress'
import { h } from 'vue'

// A link to the studio with a format; it is a page of its own, to which the site's router does not go.
const InStudio = ({ of }, { slots }) => h('a', { href: withBase(`/studio/#format=${of}`), target: '_self' }, slots)
InStudio.props = ['of']

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Automaton', Automaton)
    app.component('Gallery', Gallery)
    app.component('InStudio', InStudio)
  },
}
