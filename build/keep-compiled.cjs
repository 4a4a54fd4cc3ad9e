// Preloaded by build.mjs into a run of dist/shim-compiled.cjs: keeps what V8 has compiled until its end, lazily compiled
// functions included, as the next run's cache. SHIM_CACHE names the file.
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

const { Script } = vm;
vm.Script = class extends Script {
  constructor(source, options) {
    super(source, options);
    const length = source.length - '(function(require){\n})'.length;
    const header = Buffer.from(`${process.version} ${process.arch} ${length}\n`);
    process.on('exit', () =>
      writeFileSync(process.env.SHIM_CACHE, Buffer.concat([header, this.createCachedData()])),
    );
  }
};
