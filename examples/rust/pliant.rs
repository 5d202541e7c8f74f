// SPDX-License-Identifier: Apache-2.0
//! Pliant for Rust on the C surface: tensors with operators, functions by name, errors as results.
#![allow(dead_code)] // a program uses a part of it
use std::ffi::{CStr, CString};
use std::fmt;
use std::ops;
use std::os::raw::{c_char, c_void};
use std::panic::Location;
use std::ptr;

#[repr(C)]
struct Raw {
    _opaque: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
struct Site {
    file: *const c_char,
    line: u32,
}
#[repr(C)]
struct LastError {
    status: i32,
    message: *const c_char,
    place: *const c_char,
    op: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
struct RawOperand {
    kind: u32,
    tensor: *const Raw,
    integer: i64,
    real: f64,
}
#[repr(C)]
struct RawAttribute {
    name: *const c_char,
    kind: u32,
    integer: i64,
    real: f64,
    list: *const c_void,
    count: usize,
}
#[repr(C)]
#[derive(Default)]
pub struct Counters {
    pub segments: i64,
    pub ops: i64,
    pub compiles: i64,
    pub hits: i64,
    pub failures: i64,
    pub loads: i64,
    pub launches: i64,
    pub fallbacks: i64,
    pub donations: i64,
    pub bytes_in: i64,
    pub bytes_out: i64,
    pub bytes_live: i64,
    pub bytes_peak: i64,
}

#[link(name = "pliant")]
extern "C" {
    fn pliant_file(name: *const c_char, length: usize) -> *const c_char;
    fn pliant_last_error() -> *const LastError;
    fn pliant_from_memory(dtype: u32, rank: usize, shape: *const i64, data: *const c_void, out: *mut *mut Raw,
                          site: Site) -> i32;
    fn pliant_copy(x: *const Raw, out: *mut *mut Raw) -> i32;
    fn pliant_release(x: *mut Raw);
    fn pliant_rank(x: *const Raw, out: *mut usize) -> i32;
    fn pliant_shape(x: *const Raw, capacity: usize, out: *mut i64) -> i32;
    fn pliant_size(x: *const Raw, out: *mut i64) -> i32;
    fn pliant_read(x: *const Raw, out: *mut c_void, bytes: usize, site: Site) -> i32;
    fn pliant_call(name: *const c_char, operands: *const RawOperand, operand_count: usize,
                   attributes: *const RawAttribute, attribute_count: usize, results: *mut *mut Raw,
                   result_count: usize, site: Site) -> i32;
    fn pliant_barrier() -> i32;
    fn pliant_count(out: *mut Counters) -> i32;
}

/// What went wrong, as Pliant says it.
#[derive(Debug)]
pub struct Error(pub String);
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Error {}

fn checked(status: i32) -> Result<(), Error> {
    if status == 0 {
        return Ok(());
    }
    // The pointer is never null, and its texts stay until this thread's next failing call.
    let message = unsafe { CStr::from_ptr((*pliant_last_error()).message) };
    Err(Error(message.to_string_lossy().into_owned()))
}

fn site(place: &Location) -> Site {
    let file = place.file();
    Site { file: unsafe { pliant_file(file.as_ptr().cast(), file.len()) }, line: place.line() }
}

/// Elements of one type along axes; ops on it are recorded and run when `read` asks.
pub struct Tensor(*mut Raw);
// Any thread may use a tensor; this wrapper has no way to change one in place.
unsafe impl Send for Tensor {}
unsafe impl Sync for Tensor {}

impl Drop for Tensor {
    fn drop(&mut self) {
        unsafe { pliant_release(self.0) }
    }
}
impl Clone for Tensor {
    fn clone(&self) -> Tensor {
        let mut out = ptr::null_mut();
        checked(unsafe { pliant_copy(self.0, &mut out) }).expect("a copy costs no memory to speak of");
        Tensor(out)
    }
}

/// A named argument that is no operand.
pub enum Attribute<'a> {
    Integer(i64),
    Bool(bool),
    Integers(&'a [i64]),
}

#[derive(Clone, Copy)]
pub enum Operand<'a> {
    Tensor(&'a Tensor),
    Integer(i64),
    Real(f64),
}
impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(x: &'a Tensor) -> Self {
        Operand::Tensor(x)
    }
}
impl From<i64> for Operand<'_> {
    fn from(x: i64) -> Self {
        Operand::Integer(x)
    }
}
impl From<f64> for Operand<'_> {
    fn from(x: f64) -> Self {
        Operand::Real(x)
    }
}

/// A function of Pliant's table with one result.
#[track_caller]
pub fn call(name: &str, operands: &[Operand], attributes: &[(&str, Attribute)]) -> Result<Tensor, Error> {
    let here = site(Location::caller());
    let name = CString::new(name).map_err(|_| Error("a name with a null in it".into()))?;
    let null = ptr::null();
    let operands: Vec<RawOperand> = operands
        .iter()
        .map(|each| match *each {
            Operand::Tensor(x) => RawOperand { kind: 0, tensor: x.0, integer: 0, real: 0.0 },
            Operand::Integer(n) => RawOperand { kind: 2, tensor: null, integer: n, real: 0.0 },
            Operand::Real(x) => RawOperand { kind: 3, tensor: null, integer: 0, real: x },
        })
        .collect();
    let names: Vec<CString> = attributes.iter().map(|(name, _)| CString::new(*name).unwrap_or_default()).collect();
    let attributes: Vec<RawAttribute> = attributes
        .iter()
        .zip(&names)
        .map(|((_, value), name)| {
            let (kind, integer, list, count) = match value {
                Attribute::Bool(x) => (1, *x as i64, ptr::null(), 0),
                Attribute::Integer(n) => (2, *n, ptr::null(), 0),
                Attribute::Integers(n) => (5, 0, n.as_ptr().cast(), n.len()),
            };
            RawAttribute { name: name.as_ptr(), kind, integer, real: 0.0, list, count }
        })
        .collect();
    let mut out = ptr::null_mut();
    checked(unsafe {
        pliant_call(name.as_ptr(), operands.as_ptr(), operands.len(), attributes.as_ptr(), attributes.len(), &mut out, 1,
                    here)
    })?;
    Ok(Tensor(out))
}

/// Hands over what this thread has recorded: the end of a step.
pub fn barrier() -> Result<(), Error> {
    checked(unsafe { pliant_barrier() })
}
pub fn counters() -> Result<Counters, Error> {
    let mut out = Counters::default();
    checked(unsafe { pliant_count(&mut out) })?;
    Ok(out)
}

impl Tensor {
    /// Copies the elements.
    #[track_caller]
    pub fn new(values: &[f32], shape: &[i64]) -> Result<Tensor, Error> {
        let count: i64 = shape.iter().product();
        if count != values.len() as i64 {
            return Err(Error(format!("{} values for shape {:?}", values.len(), shape)));
        }
        let (mut out, here) = (ptr::null_mut(), site(Location::caller()));
        checked(unsafe { pliant_from_memory(0, shape.len(), shape.as_ptr(), values.as_ptr().cast(), &mut out, here) })?;
        Ok(Tensor(out))
    }
    pub fn shape(&self) -> Result<Vec<i64>, Error> {
        let mut rank = 0;
        checked(unsafe { pliant_rank(self.0, &mut rank) })?;
        let mut out = vec![0; rank];
        checked(unsafe { pliant_shape(self.0, rank, out.as_mut_ptr()) })?;
        Ok(out)
    }
    /// Runs what is needed and waits for the elements, which must be f32.
    #[track_caller]
    pub fn read(&self) -> Result<Vec<f32>, Error> {
        let (mut count, here) = (0, site(Location::caller()));
        checked(unsafe { pliant_size(self.0, &mut count) })?;
        let mut out = vec![0f32; count as usize];
        checked(unsafe { pliant_read(self.0, out.as_mut_ptr().cast(), out.len() * 4, here) })?;
        Ok(out)
    }
}

// Operators panic where a call is wrong, as indexing a slice does; `call` gives the error instead.
macro_rules! operator {
    ($kind:ident, $method:ident, $name:literal) => {
        impl<'a, T: Into<Operand<'a>>> ops::$kind<T> for &'a Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, rhs: T) -> Tensor {
                call($name, &[self.into(), rhs.into()], &[]).unwrap_or_else(|error| panic!("{error}"))
            }
        }
    };
}
operator!(Add, add, "add");
operator!(Sub, sub, "sub");
operator!(Mul, mul, "mul");
operator!(Div, div, "true_divide");
