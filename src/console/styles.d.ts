/** Style sheets are imported for their effect; the build collects them in one file. */
declare module '*.css';
